package io.kvreactive.server.command;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.serve.LogSetup;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/** {@code kv postgres}. */
@Command(
    name = "postgres",
    description = "Maintains a store in PostgreSQL: accept.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = PostgresCommand.Accept.class)
final class PostgresCommand {
  private static final String SCHEME = "postgres";
  private static final long CLOSE_SECONDS = 10;

  private PostgresCommand() {}

  /** {@code kv postgres accept}. */
  @Command(
      name = "accept",
      description = {
        "Accepts that a store has lost commits, after a failover or a restore.",
        "The URL is that of the database, postgresql://user@host:port,host/database?schema=kv. "
            + "The store gets a new history; services that have it open must be started again."
      })
  static final class Accept extends KvCommand {
    @Override
    int run() {
      String url = connection.url == null ? System.getenv("KV_URL") : connection.url;
      if (url == null || !url.startsWith(SCHEME)) {
        throw new CliException(
            ExitCode.USAGE, "--url (expected: postgresql://user@host:port,host/database)");
      }
      LogSetup.quiet();
      Vertx vertx = Vertx.vertx();
      try {
        Versionstamp kept =
            Objects.requireNonNull(
                PostgresOptions.at(url).acceptLostCommits(vertx).block(), "a versionstamp");
        print(
            CliJson.object().put("versionstamp", kept.toString()),
            "accepted: the newest commit is " + kept);
        return ExitCode.OK;
      } catch (KvException e) {
        throw CliException.of(e);
      } finally {
        closed(vertx);
      }
    }

    private static void closed(Vertx vertx) {
      vertx
          .close()
          .toCompletionStage()
          .toCompletableFuture()
          .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
          .join();
    }
  }
}
