import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A DuckDB in a Java virtual machine: takes requests on standard input, answers
 * on standard output, as protocol.go describes.
 *
 * java Host &lt;JNI library&gt; &lt;libduckdb&gt;
 */
public class Host {
    static native void library(String path);
    static native long open(byte[] file);
    static native void close(long database);
    static native long connect(long database);
    static native void disconnect(long connection);
    static native void interrupt(long connection);
    static native byte[] query(long connection, byte[] sql);

    static long database;
    static final Map<String, Long> connections = new ConcurrentHashMap<>();
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

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }

    static void request(String id, String[] f) throws Exception {
        switch (f[1]) {
            case "open" -> database = open(bytes(f[2]));
            case "close" -> {
                connections.values().forEach(Host::disconnect);
                connections.clear();
                close(database);
            }
            case "connect" -> connections.put(f[2], connect(database));
            case "disconnect" -> disconnect(connections.remove(f[2]));
            case "interrupt" -> interrupt(connections.get(f[2]));
            case "exec" -> query(connections.get(f[2]), bytes(f[3]));
            case "query" -> {
                String rows = new String(query(connections.get(f[2]), bytes(f[3])), StandardCharsets.UTF_8);
                if (!rows.isEmpty()) { // every row ends its line
                    for (String row : rows.substring(0, rows.length() - 1).split("\n", -1)) {
                        answer(id + "\trow\t" + row);
                    }
                }
            }
            case "life" -> answer(id + "\trow\t" + signals.get()); // signals so far
            case "storm" -> new Storm().run(Integer.parseInt(f[2]));
            default -> throw new Exception("no such request: " + f[1]);
        }
    }

    public static void main(String[] args) throws Exception {
        out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.load(args[0]);
        library(args[1]);
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
