package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.internal.auth.TokenFile.Minted;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the token file to a running server and changes the file. Never blocks. */
public final class TokenManager {
  private static final Logger LOG = LoggerFactory.getLogger(TokenManager.class);

  private final Vertx vertx;
  private final TokenFile file;
  private final ScopedTokens tokens;
  private final FileWatcher watch;
  private final long ticks;

  private TokenManager(
      Vertx vertx, TokenFile file, ScopedTokens tokens, List<String> stamps, Duration pause) {
    this.vertx = vertx;
    this.file = file;
    this.tokens = tokens;
    this.watch = new FileWatcher(vertx, List.of(file.path()), stamps, pause, this::read);
    this.ticks = vertx.setPeriodic(pause.toMillis(), tick -> tokens.endRetired());
  }

  private record Found(List<String> stamps, List<AccessToken> entries) {}

  /**
   * Reads the file and starts watching it. Errors: INVALID_ARGUMENT if an existing file cannot be
   * read or is not a token file.
   */
  public static Future<TokenManager> open(
      Vertx vertx, Path path, ScopedTokens tokens, Duration pause) {
    TokenFile file = new TokenFile(path, tokens.clock());
    return vertx
        .executeBlocking(() -> new Found(FileWatcher.stamps(List.of(path)), file.read()), false)
        .map(
            found -> {
              tokens.replace(found.entries());
              return new TokenManager(vertx, file, tokens, found.stamps(), pause);
            })
        .recover(
            failed ->
                Future.failedFuture(
                    new KvException(
                        KvErrorCode.INVALID_ARGUMENT,
                        "token file: " + failed.getMessage(),
                        failed)));
  }

  private Future<?> read() {
    return vertx
        .executeBlocking(() -> apply(() -> null), false)
        .onSuccess(unused -> LOG.info("{} changed", file.path()));
  }

  /** Returns all tokens. */
  public Future<List<AccessToken>> list() {
    return vertx.executeBlocking(file::read, false);
  }

  /** Creates a token, as {@link TokenFile#create}. The token is valid when the future completes. */
  public Future<Minted> create(String name, TokenScope scope) {
    return change(() -> file.create(name, scope));
  }

  /**
   * Revokes a token, as {@link TokenFile#revoke}. Its grants have ended when the future completes.
   */
  public Future<Boolean> revoke(String name) {
    return change(() -> file.revoke(name));
  }

  /** Replaces the secret of a token, as {@link TokenFile#rotate}. */
  public Future<Minted> rotate(String name, Duration grace) {
    return change(() -> file.rotate(name, grace));
  }

  private <T> Future<T> change(Callable<T> change) {
    return vertx.executeBlocking(() -> apply(change), false);
  }

  /**
   * Runs a change and applies the resulting file. Changes run one at a time, so that no older
   * content of the file takes effect after newer content. Blocks.
   *
   * @throws KvException DISK_FULL or IO_FAILED if the file cannot be read or written
   */
  private <T> T apply(Callable<T> change) throws Exception {
    try {
      synchronized (file) {
        T result = change.call();
        tokens.replace(file.read());
        return result;
      }
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
      boolean full = message.contains("no space left") || message.contains("quota exceeded");
      throw new KvException(
          full ? KvErrorCode.DISK_FULL : KvErrorCode.IO_FAILED,
          full ? "no space for the file of tokens" : "the file of tokens cannot be accessed",
          e);
    }
  }

  /** Stops watching the file. */
  public void close() {
    watch.stop();
    vertx.cancelTimer(ticks);
  }
}
