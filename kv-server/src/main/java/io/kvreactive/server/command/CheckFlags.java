package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of the condition under which a key is changed. */
final class CheckFlags {
  @Option(
      names = "--if-versionstamp",
      paramLabel = "VS",
      description = "only if the key has this versionstamp")
  @Nullable String ifVersionstamp;

  @Option(names = "--if-absent", description = "only if the key does not exist")
  boolean ifAbsent;

  /** Returns an operation with these checks and an empty list of mutations. */
  ObjectNode operation(KvKey key) {
    ObjectNode operation = CliJson.object();
    if (ifVersionstamp != null && ifAbsent) {
      throw new CliException(
          ExitCode.USAGE, "--if-versionstamp and --if-absent (expected: one of them)");
    }
    if (ifVersionstamp != null || ifAbsent) {
      ObjectNode check = operation.putArray("checks").addObject();
      check.set("key", KvJson.toJson(key));
      check.put("versionstamp", ifVersionstamp);
    }
    operation.putArray("mutations");
    return operation;
  }
}
