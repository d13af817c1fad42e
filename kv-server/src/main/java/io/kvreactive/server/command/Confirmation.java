package io.kvreactive.server.command;

import io.kvreactive.server.Terminals;
import java.io.Console;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The question before a command deletes more than one named thing. */
final class Confirmation {
  @Option(
      names = {"-y", "--yes"},
      description = "delete without a question (default: ask on a terminal)")
  boolean yes;

  /**
   * Returns true if the user agrees. Asks on a terminal only, so that scripts continue.
   *
   * @param question the text of the question; empty if no question is necessary
   */
  boolean allows(CliOutput out, Supplier<String> question) {
    Console console = yes ? null : console();
    String text = console == null ? "" : question.get();
    if (console == null || text.isEmpty()) {
      return true;
    }
    @Nullable String answer = console.readLine("%s [y/N] ", Terminals.clean(text));
    boolean agreed = answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    if (!agreed) {
      out.message("nothing was deleted");
    }
    return agreed;
  }

  private static @Nullable Console console() {
    return KvCommand.hasConsole() ? System.console() : null;
  }
}
