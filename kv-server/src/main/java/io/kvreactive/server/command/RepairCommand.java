package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvStores;
import io.kvreactive.RepairOptions;
import io.kvreactive.RepairReport;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.serve.LogSetup;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv repair}. */
@Command(
    name = "repair",
    description = {
      "Inspects and repairs a closed store.",
      "Without a repair it prints the store's clock, malformed keys, and damage that prevents "
          + "opening the store; it exits with 1 if it finds any.",
      "A repair is only described unless --apply is given."
    })
final class RepairCommand extends KvCommand {
  private static final String NOW = "now";

  @Parameters(index = "0", paramLabel = "DIR", description = "directory of the store")
  Path directory = Path.of("");

  @Option(
      names = "--set-clock",
      paramLabel = "now|TIME",
      description = "set the store's clock, such as back after a jump of the wall clock")
  @Nullable String clock;

  @Option(
      names = "--delete-key",
      paramLabel = "KEY",
      description = "delete a malformed key, in hex or as {\"$key\":\"…\"}; repeatable")
  List<String> keys = List.of();

  @Option(
      names = "--cut-tail",
      description = "truncate the log at its first damage; also needs --lose-commits")
  boolean cutTail;

  @Option(
      names = "--lose-commits",
      description = "accept the loss of the commits behind the damage")
  boolean loseCommits;

  @Option(names = "--apply", description = "make the repairs")
  boolean apply;

  @Override
  int run() {
    boolean inspects = clock == null && keys.isEmpty() && !cutTail;
    if (apply && inspects) {
      throw usage("--apply (expected: a repair, such as --set-clock)");
    }
    if (apply && cutTail && !loseCommits) {
      throw usage("--cut-tail --apply (expected: --lose-commits too)");
    }
    LogSetup.quiet();
    try {
      RepairOptions options =
          RepairOptions.INSPECT
              .withApply(apply)
              .withClock(clock())
              .withDeleteKeys(keys.stream().map(RepairCommand::key).toList())
              .withCutTail(cutTail);
      RepairReport report =
          Objects.requireNonNull(KvStores.repair(directory, options).block(), "a report");
      printResult(report);
      if (inspects) {
        return report.isSound() ? ExitCode.OK : ExitCode.NO;
      }
      return report.changes().isEmpty() ? ExitCode.NO : ExitCode.OK;
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static CliException usage(String message) {
    return new CliException(ExitCode.USAGE, message);
  }

  private @Nullable Instant clock() {
    if (clock == null || clock.equals(NOW)) {
      return clock == null ? null : Instant.now();
    }
    try {
      return Instant.parse(clock);
    } catch (DateTimeParseException e) {
      throw usage("--set-clock " + clock + " (expected: now, or such as 2026-11-20T09:59:00Z)");
    }
  }

  /** Parses a malformed key: its bytes in hex, or in base64 as in exports. */
  private static KvKey key(String typed) {
    try {
      if (!typed.startsWith("{")) {
        return KvKey.fromEncoded(HexFormat.of().parseHex(typed));
      }
      JsonNode json = CliJson.typed("key " + typed, typed);
      if (json.size() == 1 && json.path("$key").isTextual()) {
        return KvKey.fromEncoded(Base64.getDecoder().decode(json.path("$key").textValue()));
      }
    } catch (IllegalArgumentException e) {
      throw usage("--delete-key " + typed + " (expected: hex or {\"$key\":\"base64\"}): " + e);
    }
    throw usage("--delete-key " + typed + " (expected: hex or {\"$key\":\"base64\"})");
  }

  private void printResult(RepairReport report) {
    if (json()) {
      out.line(json(report));
      return;
    }
    if (report.damage() != null) {
      out.line("damage: " + report.damage());
    } else if (!cutTail || report.changes().isEmpty()) {
      Instant time = report.time();
      out.line(
          "clock: "
              + (time == null ? "no commit yet" : "last commit " + time)
              + ", wall clock "
              + report.wallTime()
              + (report.isClockAhead() ? ": AHEAD" : ""));
      out.line("malformed keys: " + report.unreadableKeys());
      report.firstUnreadableKeys().forEach(key -> out.line("  " + KvJson.toJson(key)));
    }
    report.changes().forEach(change -> out.line((report.applied() ? "" : "would: ") + change));
    if (!report.changes().isEmpty() && !report.applied()) {
      out.line("nothing was changed (use --apply)");
    }
  }

  private static ObjectNode json(RepairReport report) {
    Instant time = report.time();
    ObjectNode json =
        CliJson.object()
            .put("sound", report.isSound())
            .put("damage", report.damage())
            .put("time", time == null ? null : time.toEpochMilli())
            .put("wallTime", report.wallTime().toEpochMilli())
            .put("clockAhead", report.isClockAhead())
            .put("unreadableKeyCount", report.unreadableKeys());
    ArrayNode unreadable = json.putArray("unreadableKeys");
    report.firstUnreadableKeys().forEach(key -> unreadable.add(KvJson.toJson(key)));
    report.changes().forEach(json.putArray("changes")::add);
    return json.put("applied", report.applied());
  }
}
