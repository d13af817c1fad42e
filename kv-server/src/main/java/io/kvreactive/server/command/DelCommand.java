package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.Target;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code kv del}. */
@Command(
    name = "del",
    description = "Deletes a key or a range, and prints the commit's versionstamp.")
final class DelCommand extends TargetCommand {
  @Parameters(arity = "0..1", paramLabel = "KEY", description = "users/ada or '[\"users\",7]'")
  @Nullable String key;

  @Mixin RangeFlags keys = new RangeFlags();
  @Mixin CheckFlags checks = new CheckFlags();
  @Mixin Confirmation confirmation = new Confirmation();

  @Override
  int run(Target target) {
    KeySelection range = keys.range();
    if ((key == null) != range.isExplicit()) {
      throw new CliException(
          ExitCode.USAGE,
          (key == null ? "nothing to delete" : "a KEY and a range")
              + " (expected: a KEY; or --prefix, --start or --end)");
    }
    if (key != null) {
      KvKey parsed = KeyParser.parse(key);
      ObjectNode operation = checks.operation(parsed);
      ObjectNode delete = operation.withArray("mutations").addObject().put("type", "delete");
      delete.set("key", KvJson.toJson(parsed));
      return committed(target.atomic(operation));
    }
    if (checks.ifAbsent || checks.ifVersionstamp != null) {
      throw new CliException(
          ExitCode.USAGE, "--if-versionstamp or --if-absent with a range (expected: a KEY)");
    }
    if (!confirmation.allows(out, () -> question(target, range))) {
      return ExitCode.NO;
    }
    ObjectNode operation = CliJson.object();
    ObjectNode delete = operation.putArray("mutations").addObject().put("type", "deleteRange");
    delete.setAll(range.toJson());
    return committed(target.atomic(operation));
  }

  /**
   * Returns the question, without the number of keys if these cannot be counted; empty if there are
   * no keys.
   */
  static String question(Target target, KeySelection range) {
    try {
      long keys = target.count(range);
      return keys == 0 ? "" : "Delete " + Plurals.of(keys, "keys") + "?";
    } catch (CliException e) { // the token cannot read, or there are too many
      return "Delete all keys of the range?";
    }
  }
}
