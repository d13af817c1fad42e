package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.Units;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.Target;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv queue}. */
@Command(
    name = "queue",
    description = "Queues: push, listen, stats.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    subcommands = {QueueCommand.Push.class, QueueCommand.Listen.class, QueueCommand.Stats.class})
final class QueueCommand {
  private QueueCommand() {}

  /** {@code kv queue push}. */
  @Command(name = "push", description = "Adds a message to a queue.")
  static final class Push extends TargetCommand {
    @Parameters(arity = "0..1", paramLabel = "VALUE", description = "JSON, or - for standard input")
    @Nullable String value;

    @Mixin ValueArgument from = new ValueArgument();

    @Option(
        names = "--queue",
        paramLabel = "NAME",
        description = "name of the queue (default: the unnamed queue of Deno KV)")
    String queue = "";

    @Option(
        names = "--delay",
        paramLabel = "TIME",
        converter = Units.Time.class,
        description = "delay of the delivery, such as 5m")
    @Nullable Duration delay;

    @Option(
        names = "--undelivered",
        paramLabel = "KEY",
        description = "key to set if no attempt succeeds; repeatable")
    List<String> undelivered = List.of();

    @Mixin CreateFlag creation = new CreateFlag();

    @Override
    int run(Target target) {
      ObjectNode operation = CliJson.object();
      ObjectNode message = operation.putArray("enqueues").addObject().put("queue", queue);
      message.set("value", from.read(value));
      if (delay != null) {
        message.put("delay", delay.toMillis());
      }
      if (!undelivered.isEmpty()) {
        var keys = message.putArray("keysIfUndelivered");
        undelivered.forEach(key -> keys.add(KvJson.toJson(KeyParser.parse(key))));
      }
      return committed(target.atomic(operation));
    }
  }

  /** {@code kv queue listen}. */
  @Command(
      name = "listen",
      description = {
        "Prints messages and acknowledges each after it is printed, until Ctrl-C. Reconnects after "
            + "a lost connection."
      })
  static final class Listen extends TargetCommand {
    @Option(
        names = "--queue",
        paramLabel = "NAME",
        description = "name of the queue (default: the unnamed queue of Deno KV)")
    String queue = "";

    @Option(names = "--count", paramLabel = "N", description = "exit after N messages")
    long count = Long.MAX_VALUE;

    @Override
    int run(Target target) {
      target.listen(
          queue,
          count,
          message -> {
            print(message, message.path("value").toString());
            out.flush();
          });
      return ExitCode.OK;
    }
  }

  /** {@code kv queue stats}. */
  @Command(name = "stats", description = "Prints the queues that have messages or consumers.")
  static final class Stats extends TargetCommand {
    @Override
    int run(Target target) {
      for (JsonNode queue : target.stats().path("queues")) {
        String name = queue.path("name").asText();
        print(
            queue,
            "%s\t%s\t%s ready\t%s leased\t%s consumers"
                .formatted(
                    name.isEmpty() ? "(nameless)" : name,
                    Plurals.of(queue.path("depth").asLong(), "messages"),
                    queue.path("ready"),
                    queue.path("leased"),
                    queue.path("consumers")));
      }
      return ExitCode.OK;
    }
  }
}
