package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code kv completion}. */
@Command(
    name = "completion",
    description = {
      "Prints a script that completes commands of a shell.",
      "Use it by: source <(kv completion bash), in zsh: source <(kv completion zsh), "
          + "or in fish: kv completion fish | source."
    })
final class CompletionCommand implements Callable<Integer> {
  /** The shell of the script. */
  enum Shell {
    BASH,
    ZSH,
    FISH
  }

  @Spec @Nullable CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  Shell shell = Shell.BASH;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not set by picocli");
    }
    CommandLine root = spec.root().commandLine();
    // in zsh, the script loads the completion functions of bash
    System.out.print(shell == Shell.FISH ? FishCompletion.of(root) : AutoComplete.bash("kv", root));
    System.out.flush();
    return ExitCode.OK;
  }
}
