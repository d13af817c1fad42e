package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.Terminals;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import java.io.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The base class of client commands: connection flags, output format and error handling. */
abstract class KvCommand implements Callable<Integer> {
  /** The format of results. */
  enum Form {
    /** Text for people, and for scripts that need one value. */
    TEXT,
    /** One JSON object per line, in the forms of the REST interface. */
    JSON,
    /** Rows in columns; other results as text. */
    TABLE
  }

  @Mixin ConnectionFlags connection = new ConnectionFlags();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      description = "format of results: ${COMPLETION-CANDIDATES} (KV_OUTPUT; default: TEXT)",
      defaultValue = "${env:KV_OUTPUT:-text}")
  Form form = Form.TEXT;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  final CliOutput out = new CliOutput();
  private final TextTable table = new TextTable();

  @Override
  public final Integer call() {
    try {
      int code = run();
      table.end(out::line);
      out.flush();
      return code;
    } catch (CliException e) {
      try {
        table.end(out::line);
        out.flush(); // prints the results before the error
      } catch (CliOutput.ClosedException closed) {
        return ExitCode.OK;
      }
      out.message(e.text());
      return e.exitCode();
    } catch (CliOutput.ClosedException e) {
      return ExitCode.OK;
    }
  }

  abstract int run();

  /**
   * Returns true if standard input and output are a terminal. A newer Java than 21 needs {@code
   * -Djdk.console=java.base}, which {@code ./kv} sets, or it takes any stream for one.
   */
  @SuppressWarnings("SystemConsoleNull")
  static boolean hasConsole() {
    Console console = System.console();
    return console != null;
  }

  /** Returns true if progress is printed by default: standard error is a terminal. */
  static boolean isOnTerminal() {
    return Terminals.isTerminal(Terminals.ERR);
  }

  final boolean json() {
    return form == Form.JSON;
  }

  /** Prints one of several results in the selected format. A table is printed at the end. */
  final void row(JsonNode json, String text) {
    if (form == Form.TABLE) {
      table.add(json, out::line);
    } else {
      print(json, text);
    }
  }

  /** Prints one of several results, which is the same in both other formats than a table. */
  final void row(String json) {
    if (form == Form.TABLE) {
      table.add(CliJson.typed("a row", json), out::line);
    } else {
      out.line(json);
    }
  }

  /** Prints a result in the selected format. */
  final void print(JsonNode json, String text) {
    if (json()) {
      out.line(json);
    } else if (!text.isEmpty()) {
      out.line(text);
    }
  }
}
