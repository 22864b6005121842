package fieldstone.reporting;

import java.time.LocalDate;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Builds and writes reports on a pool of threads that share one service and one writer. */
public class ReportServer implements AutoCloseable {
    private final ExecutorService pool = Executors.newFixedThreadPool(8);
    private final ReportService service;
    private final ReportWriter writer = new ReportWriter();

    public ReportServer(ReportService service) {
        this.service = service;
    }

    public Future<String> request(String branch, LocalDate from, LocalDate until) {
        return pool.submit(() -> writer.write(service.build(branch, from, until)));
    }

    @Override
    public void close() {
        pool.shutdown();
    }
}
