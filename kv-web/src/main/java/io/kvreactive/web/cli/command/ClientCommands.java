package io.kvreactive.web.cli.command;

import java.util.List;

/** The commands of the client. */
public final class ClientCommands {
  private ClientCommands() {}

  /** Their classes, in the order in which help lists them. */
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
        StatsCommand.class,
        TokenCommand.class,
        HealthCommand.class,
        CompletionCommand.class);
  }
}
