package io.kvreactive.crash;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Flux;

/**
 * The process under test: commits like {@link KillChild} and takes consecutive backups. See {@link
 * BackupKillTest}.
 */
final class BackupKillChild {
  static final String BACKUP = "backup ";

  private BackupKillChild() {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, KvOptions.at(Path.of(args[0])).withMemoryBytes(1 << 20)).block();
    Path backups = Path.of(args[1]);
    System.out.println("open");
    Flux<?> taken =
        Flux.range(Integer.parseInt(args[2]), 1_000_000)
            .concatMap(
                n ->
                    kv.admin()
                        .backup(backups.resolve("" + n))
                        .last()
                        .doOnNext(whole -> System.out.println(BACKUP + n + " .")),
                1);
    Flux.merge(KillChild.lanes(kv), taken).blockLast();
  }
}
