package io.kvreactive.server.command;

import io.kvreactive.server.BuildInfo;
import io.kvreactive.server.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kv version}. */
@Command(name = "version", description = "Prints the versions of this program and of Java.")
final class VersionCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  @Override
  public Integer call() {
    BuildInfo build = BuildInfo.ofThisProgram();
    CliOutput out = new CliOutput();
    out.line("kv " + build.version() + (build.revision().isEmpty() ? "" : " " + build.revision()));
    out.line("Java %s (%s)".formatted(property("java.version"), property("java.vendor")));
    out.line("%s %s".formatted(property("os.name"), property("os.arch")));
    out.flush();
    return ExitCode.OK;
  }

  private static String property(String name) {
    return System.getProperty(name, "unknown");
  }
}
