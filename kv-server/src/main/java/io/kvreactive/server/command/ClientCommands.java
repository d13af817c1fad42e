package io.kvreactive.server.command;

import java.util.List;

/** The list of client commands. */
public final class ClientCommands {
  private ClientCommands() {}

  /** Returns the command classes, in the order of the help. */
  public static List<Class<?>> commands() {
    return List.of(
        GetCommand.class,
        SetCommand.class,
        DelCommand.class,
        ListCommand.class,
        WatchCommand.class,
        AtomicCommand.class,
        QueueCommand.class,
        CollectionCommand.class,
        ItemCommand.class,
        QueryCommand.class,
        ExportCommand.class,
        ImportCommand.class,
        BackupCommand.class,
        RestoreCommand.class,
        VerifyCommand.class,
        RepairCommand.class,
        CompactCommand.class,
        PostgresCommand.class,
        StatsCommand.class,
        TokenCommand.class,
        HealthCommand.class,
        CompletionCommand.class);
  }
}
