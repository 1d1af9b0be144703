import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What Java does with a DuckDB that has the extension: one thing after another, a line
 * for each on standard output.
 *
 * java -cp FOLDER:duckdb_jdbc.jar Life EXTENSION duckdb_jdbc.jar
 */
public class Life {
    static final String TEN = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)";

    static Properties options() {
        Properties options = new Properties();
        options.setProperty("allow_unsigned_extensions", "true");
        return options;
    }

    static String ask(Connection c, String sql) {
        try (Statement s = c.createStatement(); var r = s.executeQuery(sql)) {
            r.next();
            return r.getString(1);
        } catch (SQLException e) {
            return "error: " + e.getMessage().lines().findFirst().orElse("");
        }
    }

    static void load(Connection c, String extension) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("LOAD '" + extension + "'");
        }
    }

    /** A sketch is a BLOB, as a result and as a parameter. */
    static String values(Connection c) throws SQLException {
        byte[] sketch;
        try (Statement s = c.createStatement(); var r = s.executeQuery("SELECT cms_agg(i % 7) FROM range(700) t(i)")) {
            r.next();
            sketch = r.getBytes(1);
        }
        try (var p = c.prepareStatement("SELECT cms_get(?, ?)")) {
            p.setBytes(1, sketch);
            p.setLong(2, 3);
            try (var r = p.executeQuery()) {
                r.next();
                return r.getString(1);
            }
        }
    }

    /** A pool of 16 connections, each asked twenty times by a thread of its own. */
    static String pool(Connection c) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        List<Future<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Connection own = c.unwrap(org.duckdb.DuckDBConnection.class).duplicate();
            answers.add(threads.submit((Callable<Integer>) () -> {
                int right = 0;
                for (int n = 0; n < 20; n++) {
                    right += ask(own, TEN).equals("10") ? 1 : 0;
                }
                own.close();
                return right;
            }));
        }
        int right = 0;
        for (Future<Integer> a : answers) {
            right += a.get();
        }
        threads.shutdown();
        return right + " right";
    }

    /** Another class loader has its own driver and its own copy of DuckDB, which the extension refuses. */
    static String loader(String extension, String jar) throws Exception {
        URL[] urls = {Path.of(jar).toUri().toURL()};
        try (var loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            var driver = (Driver) loader.loadClass("org.duckdb.DuckDBDriver").getConstructor().newInstance();
            if (driver.getClass().equals(org.duckdb.DuckDBDriver.class)) {
                return "error: the same class";
            }
            try (Connection c = driver.connect("jdbc:duckdb:", options())) {
                load(c, extension);
                return ask(c, TEN);
            } catch (SQLException e) {
                return "error: " + e.getMessage();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Connection c = DriverManager.getConnection("jdbc:duckdb:", options());
        load(c, args[0]);
        System.out.println("asked: " + ask(c, TEN));
        System.out.println("wrong: " + ask(c, "SELECT ccbf_total('no sketch'::BLOB)"));
        System.out.println("values: " + values(c));
        System.out.println("pool: " + pool(c));
        System.out.println("loader: " + loader(args[0], args[1]));
        System.out.println("at last: " + ask(c, TEN)); // and the connection stays open at the exit
    }
}
