package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The commands that print one answer of a store. */
final class StoreCommands {
  private StoreCommands() {}

  /** {@code kv count}. */
  @Command(name = "count", description = "Prints the number of keys of a range, or of all keys.")
  static final class Count extends TargetCommand {
    @Mixin RangeFlags keys = new RangeFlags();

    @Override
    int run(Target target) {
      long count = target.count(keys.range());
      print(CliJson.object().put("count", count), Long.toString(count));
      return ExitCode.OK;
    }
  }

  /** {@code kv databases}. */
  @Command(
      name = "databases",
      description = {
        "Prints the names of the databases that the token permits, open or not.",
        "A command works on one of them with --url http://HOST:PORT/db/NAME."
      })
  static final class Databases extends TargetCommand {
    @Override
    int run(Target target) {
      target.databases().forEach(name -> print(CliJson.object().put("name", name), name));
      return ExitCode.OK;
    }
  }

  /** {@code kv info}. */
  @Command(
      name = "info",
      description = {
        "Prints the version of the server, the id and the limits of the database, and the rights"
            + " of",
        "the token. A restored database has another databaseId."
      })
  static final class Info extends TargetCommand {
    @Override
    int run(Target target) {
      printMembers(target.info());
      return ExitCode.OK;
    }
  }

  /** {@code kv stats}. */
  @Command(name = "stats", description = "Prints the statistics of a store.")
  static final class Stats extends TargetCommand {
    @Override
    int run(Target target) {
      printMembers(target.stats());
      return ExitCode.OK;
    }
  }
}
