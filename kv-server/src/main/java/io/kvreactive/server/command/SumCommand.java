package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.Target;
import java.math.BigDecimal;
import java.math.BigInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv sum}. */
@Command(
    name = "sum",
    description = {
      "Adds to a counter atomically and prints the commit's versionstamp. A key that does not "
          + "exist counts as 0."
    })
final class SumCommand extends TargetCommand {
  /** The type of a counter. */
  enum Type {
    /** An unsigned counter of 64 bits, as of Deno KV. */
    U64,
    /** A number. */
    NUMBER,
    /** A bigint. */
    BIGINT
  }

  @Parameters(index = "0", paramLabel = "KEY", description = "visits/home or '[\"visits\",7]'")
  String key = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "N",
      description = "the number to add (default: 1)")
  BigDecimal number = BigDecimal.ONE;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "type of the counter: ${COMPLETION-CANDIDATES} (default: u64)")
  Type type = Type.U64;

  @Mixin CreateFlag creation = new CreateFlag();

  @Override
  int run(Target target) {
    KvKey parsed = KeyParser.parse(key);
    ObjectNode operation = CliJson.object();
    ObjectNode sum = operation.putArray("mutations").addObject().put("type", "sum");
    sum.set("key", KvJson.toJson(parsed));
    switch (type) {
      case U64 -> sum.putObject("value").put("$u64", whole().toString());
      case NUMBER -> sum.put("value", number.doubleValue());
      case BIGINT -> sum.putObject("value").put("$bigint", whole().toString());
    }
    return committed(target.atomic(operation));
  }

  private BigInteger whole() {
    try {
      BigInteger whole = number.toBigIntegerExact();
      if (type == Type.U64 && whole.signum() < 0) {
        throw new CliException(
            ExitCode.USAGE,
            whole + " (expected: at least 0; negative with --type number or --type bigint)");
      }
      return whole;
    } catch (ArithmeticException e) {
      throw new CliException(
          ExitCode.USAGE, number + " (expected: a whole number, or --type number)");
    }
  }
}
