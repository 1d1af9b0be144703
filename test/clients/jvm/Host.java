import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A DuckDB in a Java virtual machine, by its JDBC driver: takes requests on standard
 * input, answers on standard output, as package internal/protocol describes.
 *
 * java -cp FOLDER:duckdb_jdbc.jar Host
 */
public class Host {
    static Properties options;
    static Connection first; // keeps the database open
    static final Map<String, Connection> connections = new ConcurrentHashMap<>();
    static final Map<String, Statement> running = new ConcurrentHashMap<>();
    static final AtomicLong signals = new AtomicLong();
    static PrintStream out;

    static synchronized void answer(String line) {
        out.println(line);
        out.flush();
    }

    static String escape(String s) {
        return s.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }

    static String unescape(String s) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '\\') {
                c = s.charAt(++i);
                c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
            }
            b.append(c);
        }
        return b.toString();
    }

    static String text(Object value) throws SQLException {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Blob blob) {
            return HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()));
        }
        if (value instanceof Double || value instanceof Float) {
            double d = ((Number) value).doubleValue();
            return d == Math.rint(d) && !Double.isInfinite(d) ? new BigDecimal(d).toBigInteger().toString() : String.valueOf(d);
        }
        if (value instanceof String || value instanceof Boolean || value instanceof Byte || value instanceof Short
                || value instanceof Integer || value instanceof Long || value instanceof BigInteger) {
            return value.toString();
        }
        throw new SQLException("a " + value.getClass().getName() + " looks different from other clients: cast it to VARCHAR");
    }

    static void exec(String connection, String sql) throws SQLException {
        try (Statement s = connections.get(connection).createStatement()) {
            running.put(connection, s);
            s.execute(sql);
        } finally {
            running.remove(connection);
        }
    }

    /** A query is prepared: executed at once, it fails in 1.5.6 without saying why, where DuckDB refuses it. */
    static void query(String id, String connection, String sql) throws SQLException {
        try (PreparedStatement s = connections.get(connection).prepareStatement(sql)) {
            running.put(connection, s);
            try (ResultSet r = s.executeQuery()) {
                int columns = r.getMetaData().getColumnCount();
                while (r.next()) {
                    StringBuilder line = new StringBuilder(id + "\trow");
                    for (int i = 1; i <= columns; i++) {
                        line.append('\t').append(escape(text(r.getObject(i))));
                    }
                    answer(line.toString());
                }
            }
        } finally {
            running.remove(connection);
        }
    }

    static void close() throws SQLException {
        for (Connection c : connections.values()) {
            c.close();
        }
        connections.clear();
        if (first != null) {
            first.close();
        }
        first = null;
    }

    static void request(String id, String[] f) throws Exception {
        switch (f[1]) {
            case "open" -> first = DriverManager.getConnection("jdbc:duckdb:" + f[2], options);
            case "close" -> close();
            case "connect" -> connections.put(f[2], first.unwrap(org.duckdb.DuckDBConnection.class).duplicate());
            case "disconnect" -> connections.remove(f[2]).close();
            case "interrupt" -> running.get(f[2]).cancel();
            case "exec" -> exec(f[2], f[3]);
            case "query" -> query(id, f[2], f[3]);
            case "life" -> answer(id + "\trow\t" + signals.get()); // signals so far
            case "storm" -> new Storm().run(Integer.parseInt(f[2]));
            default -> throw new Exception("no such request: " + f[1]);
        }
    }

    public static void main(String[] args) throws Exception {
        out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        options = new Properties();
        options.setProperty("allow_unsigned_extensions", "true");
        sun.misc.Signal.handle(new sun.misc.Signal("INT"), s -> signals.incrementAndGet());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String[] fields = line.split("\t", -1);
            for (int i = 0; i < fields.length; i++) {
                fields[i] = unescape(fields[i]);
            }
            new Thread(null, () -> {
                try {
                    request(fields[0], fields);
                    answer(fields[0] + "\tok");
                } catch (Throwable e) {
                    answer(fields[0] + "\terror\t" + escape(String.valueOf(e.getMessage())));
                }
            }, "request", 8 << 20).start(); // as deep a stack as DuckDB is used to
        }
        System.exit(0);
    }
}

/**
 * What a virtual machine uses SIGSEGV for, as often as it can: null pointers,
 * stacks that overflow, threads that are stopped for the collector.
 */
class Storm {
    int value;
    static volatile Object sink;

    static int read(Storm s) {
        return s.value; // compiled: no check, the fault is the check
    }

    static int deep(int n) {
        return n + deep(n + 1);
    }

    /** So many null pointers, ten overflows, and meanwhile fifty collections. */
    void run(int times) throws Exception {
        Thread collector = new Thread(() -> {
            for (int i = 0; i < 50; i++) {
                System.gc();
            }
        });
        collector.start();
        for (int i = 1; i <= times; i++) {
            try {
                read(null);
                throw new Exception("a null pointer was read");
            } catch (NullPointerException e) {
                sink = new byte[1000];
            }
            if (i % (times / 10) == 0) {
                try {
                    deep(0);
                    throw new Exception("the stack has no end");
                } catch (StackOverflowError e) {
                    continue;
                }
            }
        }
        collector.join();
    }
}
