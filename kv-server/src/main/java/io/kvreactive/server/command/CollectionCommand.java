package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import io.kvreactive.server.client.TargetCollections;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code kv collection}. */
@Command(
    name = "collection",
    description =
        "Collections: list, get, create, replace, load, delete, progress, changes, group, "
            + "delete-items.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = {
      CollectionCommand.All.class,
      CollectionCommand.Get.class,
      CollectionCommand.Create.class,
      CollectionCommand.Replace.class,
      CollectionCommand.Load.class,
      CollectionCommand.Delete.class,
      CollectionCommand.Progress.class,
      CollectionCommand.Changes.class,
      CollectionCommand.Group.class,
      CollectionCommand.DeleteItems.class
    })
final class CollectionCommand {
  private CollectionCommand() {}

  /** {@code kv collection list}. */
  @Command(name = "list", description = "Prints the collections.")
  static final class All extends TargetCommand {
    @Override
    int run(Target target) {
      target
          .documents()
          .list(
              each ->
                  row(
                      form == Form.TABLE
                          ? each.retain("name", "policyVersion", "indexTransformationProgress")
                          : each,
                      line(each)));
      return ExitCode.OK;
    }
  }

  private static String line(ObjectNode info) {
    return "%s\tdefinition %s\tindexes %s %%"
        .formatted(
            info.path("name").asText(),
            info.path("policyVersion"),
            info.path("indexTransformationProgress"));
  }

  /** A command on a collection. */
  abstract static class One extends TargetCommand {
    @Parameters(paramLabel = "NAME", description = "name of the collection")
    String name = "";

    /** Prints JSON; in the text format, indented on several lines. */
    final void printDeep(JsonNode json) {
      print(json, json.toPrettyString());
    }
  }

  /** {@code kv collection get}. */
  @Command(name = "get", description = "Prints the definition and state of a collection.")
  static final class Get extends One {
    @Option(
        names = "--sizes",
        description = "also count items and index entries, which reads all of them")
    boolean sizes;

    @Override
    int run(Target target) {
      printDeep(target.documents().describe(name, sizes));
      return ExitCode.OK;
    }
  }

  /** A command with a definition. */
  abstract static class Defining extends One {
    @Option(
        names = "--policy",
        paramLabel = "FILE",
        description = {
          "a definition, an indexing policy alone, or the output of collection get, as JSON;",
          "- for standard input",
          "(default: every path has an index)"
        })
    @Nullable Path policy;

    @Option(
        names = "--allow-lazy",
        description =
            "allow the indexing mode lazy, with --path; for a server, use kv serve --allow-lazy")
    boolean allowLazy;

    @Override
    final boolean allowsLazy() {
      return allowLazy;
    }

    final ObjectNode definition() {
      if (policy == null) {
        return CliJson.object();
      }
      try {
        byte[] text =
            policy.toString().equals("-") ? System.in.readAllBytes() : Files.readAllBytes(policy);
        if (CliJson.typed(policy.toString(), text) instanceof ObjectNode json) {
          return json;
        }
      } catch (IOException e) {
        throw CliException.of("the definition cannot be read", e);
      }
      throw new CliException(ExitCode.USAGE, policy + " (expected: a JSON object)");
    }

    /** Prints a new or changed collection, and its warnings on standard error. */
    final void printDefined(ObjectNode info) {
      if (!json()) {
        info.path("warnings").forEach(warning -> out.message(warning.asText()));
      }
      print(info, line(info));
    }

    final boolean isThere(TargetCollections documents) {
      Predicate<JsonNode> same = each -> each.path("name").asText().equals(name);
      boolean[] found = new boolean[1];
      documents.list(each -> found[0] |= same.test(each));
      return found[0];
    }
  }

  /** {@code kv collection create}. */
  @Command(name = "create", description = "Creates a collection; exits with 1 if it exists.")
  static final class Create extends Defining {
    @Mixin CreateFlag creation = new CreateFlag();

    @Override
    int run(Target target) {
      ObjectNode definition = definition();
      ObjectNode created;
      try {
        created = target.documents().create(name, definition);
      } catch (CliException e) {
        if (e.exitCode() != ExitCode.NO) {
          throw e;
        }
        out.message("collection \"" + name + "\" already exists (see: kv collection replace)");
        return ExitCode.NO;
      }
      printDefined(created);
      return ExitCode.OK;
    }
  }

  /** {@code kv collection replace}. */
  @Command(
      name = "replace",
      description = {
        "Replaces the definition of a collection. A server rebuilds its indexes in the background, "
            + "see kv collection progress. Exits with 1 if the collection does not exist."
      })
  static final class Replace extends Defining {
    @Override
    int run(Target target) {
      ObjectNode definition = definition();
      if (!isThere(target.documents())) {
        out.message("collection \"" + name + "\" does not exist");
        return ExitCode.NO;
      }
      printDefined(target.documents().define(name, definition));
      return ExitCode.OK;
    }
  }

  /** {@code kv collection load}. */
  @Command(
      name = "load",
      description = {
        "Creates or replaces items from lines of JSON, one item each. Stops at the first invalid "
            + "line, after storing the lines before it. The command may be repeated."
      })
  static final class Load extends LinesCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "name of the collection")
    String name = "";

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "FILE",
        description = "compressed if its name ends in .gz; - or none for standard input")
    @Nullable Path file;

    @Option(names = "--file", paramLabel = "FILE", description = "the same as FILE")
    @Nullable Path flag;

    @Override
    String counted() {
      return "items";
    }

    @Override
    @Nullable Path file() {
      return oneOf(file, flag);
    }

    @Override
    void store(Target target, InputStream lines, long first, Consumer<ObjectNode> progress) {
      target.documents().load(name, lines, first, progress);
    }
  }

  /** {@code kv collection delete}. */
  @Command(name = "delete", description = "Drops a collection with all of its items.")
  static final class Delete extends One {
    @Mixin Confirmation confirmation = new Confirmation();

    @Override
    int run(Target target) {
      if (!confirmation.allows(out, () -> question(target))) {
        return ExitCode.NO;
      }
      target.documents().drop(name);
      return ExitCode.OK;
    }

    /** Returns the question, without the number of items if these cannot be counted. */
    String question(Target target) {
      long[] items = new long[1];
      ObjectNode count = CliJson.object().put("query", "SELECT VALUE COUNT(1) FROM c");
      String what;
      try {
        target
            .documents()
            .query(name, count, row -> items[0] = CliJson.typed("the count", row).asLong());
        what = Plurals.of(items[0], "items");
      } catch (CliException e) { // the token cannot read, or there are too many
        what = "all of its items";
      }
      return "Delete the collection \"" + name + "\" with " + what + "?";
    }
  }

  /** {@code kv collection progress}. */
  @Command(
      name = "progress",
      description = "Prints the progress of index builds until they are complete.")
  static final class Progress extends One {
    @Override
    int run(Target target) {
      boolean[] failed = new boolean[1];
      target
          .documents()
          .transformation(
              name,
              progress -> {
                failed[0] =
                    StreamSupport.stream(progress.path("jobs").spliterator(), false)
                        .anyMatch(job -> job.has("error"));
                print(progress, text(progress));
                out.flush();
              });
      return failed[0] ? ExitCode.FAILED : ExitCode.OK;
    }

    /** Returns the percentage, then each job with the paths of its index and the remaining time. */
    static String text(ObjectNode progress) {
      StringBuilder text = new StringBuilder(progress.path("percent") + " %");
      for (JsonNode job : progress.path("jobs")) {
        text.append('\t').append(job.path("index").asText());
        if (job.has("definition")) {
          text.append(" (").append(job.path("definition").asText()).append(')');
        }
        text.append(' ').append(job.path("state").asText().toLowerCase(Locale.ROOT));
        if (job.has("etaSeconds")) {
          text.append(", about ").append(job.path("etaSeconds")).append(" s left");
        }
        if (job.has("error")) {
          text.append(": ").append(job.path("error").asText());
        }
      }
      return text.toString();
    }
  }

  /** {@code kv collection changes}. */
  @Command(
      name = "changes",
      description = {
        "Prints the changes of the items, as lines of JSON, and then the position at which to "
            + "continue and whether more changes follow it (hasMore), which may be so even if "
            + "none were printed. With --follow runs until Ctrl-C and resumes after a lost "
            + "connection."
      })
  static final class Changes extends One {
    @Option(
        names = "--since",
        paramLabel = "VS",
        description = {
          "changes after this versionstamp or position, or: now; the store keeps changes for a "
              + "limited time and size, and older positions fail with COMPACTED",
          "(default: all that are kept; with --follow: now)"
        })
    @Nullable String since;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "100",
        description =
            "number of changes after which the page ends, with the whole commit; not with --follow "
                + "(default: ${DEFAULT-VALUE})")
    int limit;

    @Option(
        names = "--mode",
        paramLabel = "MODE",
        defaultValue = "latest",
        description = {
          "latest: the latest version of each item, without deletes; all: every version and every "
              + "delete (default: ${DEFAULT-VALUE})"
        })
    String mode = "latest";

    @Mixin QueryCommand.PartitionFlag partition = new QueryCommand.PartitionFlag();

    @Option(
        names = "--range",
        paramLabel = "I/N",
        converter = FeedRangeConverter.class,
        description =
            "only items whose partition keys have hashes in range I, from 0, of N ranges of equal "
                + "size, such as 0/8; not with --partition")
    @Nullable FeedRange range;

    @Option(
        names = "--details",
        description = "add the times of the commits, in milliseconds since 1970")
    boolean details;

    @Option(names = "--follow", description = "print changes as they are made")
    boolean follow;

    @Override
    int run(Target target) {
      TargetCollections.Changes selected =
          new TargetCollections.Changes(since, mode, partition.key(), range);
      if (follow) {
        target
            .documents()
            .followChanges(
                name,
                selected,
                details,
                change -> {
                  print(change, change.toString());
                  out.flush();
                });
        return ExitCode.OK;
      }
      ObjectNode page = target.documents().changes(name, selected, limit, details);
      page.path("changes").forEach(change -> print(change, change.toString()));
      ObjectNode end = CliJson.object();
      end.set("continuation", page.path("continuation"));
      end.set("hasMore", page.path("hasMore"));
      print(
          end,
          "continuation\t%s\thasMore\t%s"
              .formatted(page.path("continuation").asText(), page.path("hasMore")));
      return ExitCode.OK;
    }
  }

  /** Converts ranges of partition keys: {@code 0/8}. */
  static final class FeedRangeConverter implements ITypeConverter<FeedRange> {
    @Override
    public FeedRange convert(String text) {
      try {
        return FeedRange.parse(text.strip());
      } catch (KvException e) {
        throw new TypeConversionException(e.detail());
      }
    }
  }

  /** {@code kv collection group}. */
  @Command(
      name = "group",
      description = {
        "Prints the leases of a group that processes changes: for each range of partition keys its "
            + "owner and the position up to which changes have been handled. Exits with 1 if the "
            + "group does not exist."
      })
  static final class Group extends One {
    @Parameters(index = "1", paramLabel = "GROUP", description = "name of the group")
    String group = "";

    @Override
    int run(Target target) {
      JsonNode leases = target.documents().group(name, group).path("leases");
      if (leases.isEmpty()) {
        out.message("group \"" + group + "\" does not exist");
        return ExitCode.NO;
      }
      for (JsonNode lease : leases) {
        row(
            lease,
            "range %s\t%s\t%s"
                .formatted(
                    lease.path("range"),
                    lease.path("owner").asText("free"),
                    lease.path("continuation").asText()));
      }
      return ExitCode.OK;
    }
  }

  /** {@code kv collection delete-items}. */
  @Command(
      name = "delete-items",
      description = {
        "Deletes the items that a query finds, such as SELECT * FROM c WHERE c.age > @age. An item "
            + "written meanwhile is left. The command may be repeated."
      })
  static final class DeleteItems extends One {
    @Parameters(index = "1", paramLabel = "SQL", description = "a query of whole items")
    String sql = "";

    @Mixin QueryCommand.Flags flags = new QueryCommand.Flags();

    @Mixin Confirmation confirmation = new Confirmation();

    @Override
    int run(Target target) {
      ObjectNode query = flags.query(sql);
      if (!confirmation.allows(out, () -> "Delete the items of \"" + name + "\" it finds?")) {
        return ExitCode.NO;
      }
      ObjectNode[] last = {CliJson.object()};
      try (ProgressLine line = new ProgressLine(showsProgress(), "delete-items", "", 1, () -> -1)) {
        target
            .documents()
            .deleteMany(
                name,
                query,
                progress -> {
                  last[0] = progress;
                  line.says(text(progress));
                });
      }
      print(last[0], text(last[0]));
      return ExitCode.OK;
    }

    private static String text(ObjectNode progress) {
      return "%s deleted, %s left because they had changed"
          .formatted(
              Plurals.of(progress.path("deleted").asLong(), "items"), progress.path("changed"));
    }
  }
}
