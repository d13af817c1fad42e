package io.kvreactive.server.command;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The flag by which a {@link TargetCommand} creates the store of {@code --path}. */
final class CreateFlag {
  @Spec(Spec.Target.MIXEE)
  @Nullable CommandSpec command;

  @Option(
      names = "--create",
      description = "create the store of --path if it does not exist (KV_CREATE)",
      fallbackValue = "true", // otherwise, the flag negates the default value
      defaultValue = "${env:KV_CREATE:-false}")
  void create(boolean create) {
    TargetCommand target = (TargetCommand) Objects.requireNonNull(command).userObject();
    target.creates = create;
  }
}
