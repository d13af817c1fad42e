package io.kvreactive.server.command;

import picocli.CommandLine.Option;

/** The flag by which a command creates the store of {@code --path}. */
final class CreateFlag {
  @Option(
      names = "--create",
      description = "create the store of --path if it does not exist (KV_CREATE)",
      fallbackValue = "true", // otherwise, the flag negates the default value
      defaultValue = "${env:KV_CREATE:-false}")
  boolean create;
}
