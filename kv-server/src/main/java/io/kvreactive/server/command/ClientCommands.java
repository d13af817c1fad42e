package io.kvreactive.server.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The list of client commands. */
public final class ClientCommands {
  private ClientCommands() {}

  /**
   * Returns the class of a command that can be loaded alone. Null if the name is unknown, or if the
   * command needs all commands.
   */
  public static @Nullable Class<?> named(String name) {
    for (Class<?> command : commands()) {
      if (command.getAnnotation(Command.class).name().equals(name)) {
        return command == CompletionCommand.class || command == ShellCommand.class ? null : command;
      }
    }
    return null;
  }

  /** Returns the command classes, in the order of the help. */
  public static List<Class<?>> commands() {
    return List.of(
        GetCommand.class,
        SetCommand.class,
        DelCommand.class,
        ListCommand.class,
        StoreCommands.Count.class,
        SumCommand.class,
        WatchCommand.class,
        AtomicCommand.class,
        QueueCommand.class,
        CollectionCommand.class,
        ItemCommand.class,
        QueryCommand.class,
        ExportCommand.class,
        ImportCommand.class,
        CopyCommand.class,
        JobCommand.Backup.class,
        RestoreCommand.class,
        VerifyCommand.class,
        RepairCommand.class,
        JobCommand.Compact.class,
        PostgresCommand.class,
        StoreCommands.Stats.class,
        StoreCommands.Info.class,
        StoreCommands.Databases.class,
        TokenCommand.class,
        HealthCommand.class,
        ShellCommand.class,
        CompletionCommand.class,
        VersionCommand.class);
  }
}
