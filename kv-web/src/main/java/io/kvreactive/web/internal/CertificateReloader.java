package io.kvreactive.web.internal;

import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TlsOptions;
import io.kvreactive.web.internal.auth.FileWatcher;
import io.kvreactive.web.internal.guard.TlsFiles;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reloads the certificate of a server when its files change. */
public final class CertificateReloader {
  private final @Nullable FileWatcher watch;

  private CertificateReloader(@Nullable FileWatcher watch) {
    this.watch = watch;
  }

  /**
   * Starts watching the files. Must be called before the files are read. Does nothing for a server
   * without TLS.
   */
  public static Future<CertificateReloader> start(
      Vertx vertx, ServerOptions options, HttpVerticle.Shared shared) {
    TlsOptions tls = options.tls();
    if (tls == null) {
      return Future.succeededFuture(new CertificateReloader(null));
    }
    List<Path> files = TlsFiles.files(tls);
    return vertx
        .executeBlocking(() -> FileWatcher.stamps(files), false)
        .map(
            stamps ->
                FileWatcher.start(
                    vertx,
                    files,
                    stamps,
                    options.security().reloadEvery(),
                    () -> shared.reloadTls(vertx)))
        .map(CertificateReloader::new);
  }

  /** Stops watching. Idempotent. */
  public void stop() {
    if (watch != null) {
      watch.stop();
    }
  }
}
