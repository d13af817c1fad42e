package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Precondition;
import io.kvreactive.server.client.Target;
import io.kvreactive.server.client.TargetCollections;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv item}. */
@Command(
    name = "item",
    description = "Items of collections: get, put, patch, del, list, clear, batch.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = {
      ItemCommand.Get.class,
      ItemCommand.Put.class,
      ItemCommand.Patch.class,
      ItemCommand.Del.class,
      ItemCommand.ListAll.class,
      ItemCommand.Clear.class,
      ItemCommand.Batch.class
    })
final class ItemCommand {
  private ItemCommand() {}

  /** The flag of the version that an item must have. */
  static final class VersionFlag {
    @Option(
        names = "--if-versionstamp",
        paramLabel = "VS",
        description = "only if the item has this _etag")
    @Nullable String ifVersionstamp;

    Precondition precondition() {
      if (ifVersionstamp == null) {
        return Precondition.NONE;
      }
      try {
        return new Precondition(Versionstamp.parse(ifVersionstamp), false);
      } catch (KvException e) {
        throw CliException.of(e);
      }
    }
  }

  /** A command on an item. */
  abstract static class One extends TargetCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "name of the collection")
    String name = "";

    @Parameters(index = "1", paramLabel = "ID", description = "id of the item")
    String id = "";

    @Option(
        names = "--partition",
        paramLabel = "JSON",
        description = "its partition key: oslo, 7, or '[\"oslo\",7]' for one of several paths")
    @Nullable String partition;

    /** Runs an operation; an error if the partition key is missing, with the flag to add. */
    final ObjectNode hinting(Supplier<ObjectNode> operation) {
      try {
        return operation.get();
      } catch (CliException e) {
        throw partition == null && e.text().startsWith("partition key")
            ? new CliException(e.exitCode(), e.text() + "; name it: --partition VALUE")
            : e;
      }
    }

    final @Nullable JsonNode partition() {
      return partition == null ? null : CliJson.partitionKey(partition);
    }
  }

  /** {@code kv item get}. */
  @Command(name = "get", description = "Prints an item.")
  static final class Get extends One {
    @Override
    int run(Target target) {
      ObjectNode item = hinting(() -> target.documents().item(name, id, partition()));
      print(item, item.toString());
      return ExitCode.OK;
    }
  }

  /** {@code kv item put}. */
  @Command(
      name = "put",
      description =
          "Creates or replaces an item, and prints it. A message says which of the two was done.")
  static final class Put extends TargetCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "name of the collection")
    String name = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "ITEM",
        description = "a JSON object with an id, or - for standard input")
    @Nullable String item;

    @Mixin ValueArgument from = new ValueArgument();
    @Mixin VersionFlag version = new VersionFlag();

    @Option(names = "--if-absent", description = "only if no item has this id")
    boolean ifAbsent;

    @Override
    int run(Target target) {
      if (version.ifVersionstamp != null && ifAbsent) {
        throw new CliException(
            ExitCode.USAGE, "--if-versionstamp and --if-absent (expected: one of them)");
      }
      if (!(from.readPlain(item) instanceof ObjectNode json) || !json.path("id").isTextual()) {
        throw new CliException(ExitCode.USAGE, "ITEM (expected: a JSON object with an \"id\")");
      }
      Precondition precondition = ifAbsent ? Precondition.ABSENT : version.precondition();
      TargetCollections.WrittenItem written = target.documents().put(name, json, precondition);
      print(written.item(), written.item().toString());
      out.message(written.isCreated() ? "created" : "replaced");
      return ExitCode.OK;
    }
  }

  /** {@code kv item del}. */
  @Command(name = "del", description = "Deletes an item, and prints the commit's versionstamp.")
  static final class Del extends One {
    @Mixin VersionFlag version = new VersionFlag();

    @Override
    int run(Target target) {
      Precondition precondition = version.precondition();
      ObjectNode deleted =
          hinting(() -> target.documents().delete(name, id, partition(), precondition));
      print(deleted, deleted.path("versionstamp").asText());
      return ExitCode.OK;
    }
  }

  /** {@code kv item patch}. */
  @Command(name = "patch", description = "Changes parts of an item, and prints the item.")
  static final class Patch extends One {
    @Parameters(
        index = "2",
        arity = "0..1",
        paramLabel = "PATCH",
        description = {
          "'{\"operations\":[{\"op\":\"incr\",\"path\":\"/n\",\"value\":1}],\"filter\":\"c.n <"
              + " 9\"}',",
          "or - for standard input"
        })
    @Nullable String patch;

    @Mixin ValueArgument from = new ValueArgument();
    @Mixin VersionFlag version = new VersionFlag();

    @Override
    int run(Target target) {
      ObjectNode json = object(from, patch, "PATCH (expected: a JSON object with operations)");
      Precondition precondition = version.precondition();
      ObjectNode item =
          hinting(() -> target.documents().patch(name, id, partition(), json, precondition));
      print(item, item.toString());
      return ExitCode.OK;
    }
  }

  private static ObjectNode object(ValueArgument from, @Nullable String text, String otherwise) {
    if (from.readPlain(text) instanceof ObjectNode json) {
      return json;
    }
    throw new CliException(ExitCode.USAGE, otherwise);
  }

  /** A command on the items of a partition key. */
  abstract static class OfPartition extends TargetCommand {
    @Parameters(paramLabel = "NAME", description = "name of the collection")
    String name = "";

    @Option(
        names = "--partition",
        required = true,
        paramLabel = "JSON",
        description = "the partition key: oslo, 7, '[\"oslo\",7]', or its first values")
    String partition = "";

    final JsonNode partition() {
      return CliJson.partitionKey(partition);
    }
  }

  /** {@code kv item list}. */
  @Command(name = "list", description = "Prints the items of a partition key as lines of JSON.")
  static final class ListAll extends OfPartition {
    @Override
    int run(Target target) {
      ObjectNode query = CliJson.object().put("query", "SELECT * FROM c");
      query.set("partitionKey", partition());
      target.documents().query(name, query, out::line);
      return ExitCode.OK;
    }
  }

  /** {@code kv item clear}. */
  @Command(
      name = "clear",
      description = "Deletes the items of a partition key, and prints their number.")
  static final class Clear extends OfPartition {
    @Mixin Confirmation confirmation = new Confirmation();

    @Override
    int run(Target target) {
      if (!confirmation.allows(
          out, () -> "Delete all items of partition key " + partition() + "?")) {
        return ExitCode.NO;
      }
      ObjectNode deleted = CliJson.object().put("deleted", 0);
      try (ProgressLine line = new ProgressLine(showsProgress(), "clear", "", 1, () -> -1)) {
        target
            .documents()
            .deletePartition(
                name,
                partition(),
                progress -> {
                  deleted.set("deleted", progress.path("deleted"));
                  line.says(Plurals.of(progress.path("deleted").asLong(), "items") + " deleted");
                });
      }
      print(deleted, deleted.path("deleted").asText());
      return ExitCode.OK;
    }
  }

  /** {@code kv item batch}. */
  @Command(
      name = "batch",
      description =
          "Executes operations on items of one partition key, all or none, and prints the results.")
  static final class Batch extends TargetCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "name of the collection")
    String name = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "BATCH",
        description = {
          "'{\"partitionKey\":\"oslo\",\"operations\":[{\"op\":\"read\",\"id\":\"a\"}]}',",
          "or - for standard input"
        })
    @Nullable String batch;

    @Mixin ValueArgument from = new ValueArgument();

    @Override
    int run(Target target) {
      ObjectNode json = object(from, batch, "BATCH (expected: a JSON object with operations)");
      ObjectNode result = target.documents().batch(name, json);
      print(result, result.toString());
      return ExitCode.OK;
    }
  }
}
