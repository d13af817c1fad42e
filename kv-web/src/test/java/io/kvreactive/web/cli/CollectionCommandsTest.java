package io.kvreactive.web.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kv collection}, {@code kv item} and {@code kv query}. */
@Timeout(600)
class CollectionCommandsTest {
  @TempDir Path directory;

  /** Runs a command on a server, or on a directory. */
  @FunctionalInterface
  private interface Runner {
    KvProcess.Result run(String... arguments) throws Exception;
  }

  @Test
  void commandsDoTheSameOnAServerAndOnADirectory() throws Exception {
    Path policy = directory.resolve("policy.json");
    Files.writeString(
        policy,
        "{\"includedPaths\":[{\"path\":\"/*\"}],\"excludedPaths\":[],\"compositeIndexes\":"
            + "[[{\"path\":\"/city\"},{\"path\":\"/age\"}]]}");
    List<String> remote;
    try (ServedProcess server = ServedProcess.at(directory.resolve("served"))) {
      remote = story(policy, args -> KvProcess.run(server.environment(), "", args));
    }
    List<String> local =
        story(
            policy,
            args -> {
              List<String> all = new ArrayList<>(List.of(args));
              all.add("--path");
              all.add(directory.resolve("local").toString());
              return KvProcess.run(Map.of(), "", all.toArray(String[]::new));
            });
    assertThat(remote)
        .containsExactly(
            "0 people\tdefinition 1\tindexes 100 %",
            "1 ",
            "0 \"ada\"",
            "0 composite",
            "0 100 %",
            "0 {\"id\":\"bob\"}\n{\"id\":\"ada\"}",
            "2 ",
            "0 ",
            "1 ",
            "0 ",
            "1 ");
    assertThat(local).isEqualTo(remote);
  }

  @Test
  void aDirectoryMayHaveLazyCollections() throws Exception {
    Path policy = directory.resolve("lazy.json");
    Files.writeString(policy, "{\"indexingMode\":\"lazy\",\"includedPaths\":[{\"path\":\"/*\"}]}");
    String file = policy.toString();
    String path = directory.resolve("store").toString();
    KvProcess.Result refused =
        KvProcess.run("collection", "create", "people", "--policy", file, "--path", path);
    assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
    assertThat(refused.err()).contains("lazy is not allowed");

    KvProcess.Result made =
        KvProcess.run(
            "collection", "create", "people", "--policy", file, "--allow-lazy", "--path", path);
    assertThat(made.exit()).as(made.err()).isZero();
    KvProcess.Result info = KvProcess.run("collection", "get", "people", "--path", path);
    assertThat(info.out()).containsPattern("\"indexingMode\" *: *\"lazy\"");

    KvProcess.Result remote = KvProcess.run("collection", "create", "people", "--allow-lazy");
    assertThat(remote.exit()).isEqualTo(2);
    assertThat(remote.err()).contains("--path");
  }

  private static List<String> story(Path policy, Runner kv) throws Exception {
    List<String> told = new ArrayList<>();
    told.add(text(kv.run("collection", "create", "people")));
    told.add(text(kv.run("collection", "create", "people")));
    kv.run("item", "put", "people", "{\"id\":\"ada\",\"city\":\"Oslo\",\"age\":36}");
    kv.run("item", "put", "people", "{\"id\":\"bob\",\"city\":\"Oslo\",\"age\":7}");
    told.add(
        text(
            kv.run(
                "query", "people", "SELECT VALUE c.id FROM c WHERE c.age > @age", "-p", "age=30")));
    kv.run("collection", "replace", "people", "--policy", policy.toString());
    KvProcess.Result plan =
        kv.run(
            "query", "people", "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 3", "--explain");
    told.add(plan.exit() + (plan.out().contains("composite") ? " composite" : plan.out()));
    KvProcess.Result progress = kv.run("collection", "progress", "people");
    told.add(progress.exit() + " " + progress.out().lines().reduce((a, b) -> b).orElse(""));
    told.add(text(kv.run("query", "people", "SELECT c.id FROM c ORDER BY c.city, c.age")));
    told.add(text(kv.run("query", "people", "SELEKT")));
    KvProcess.Result deleted = kv.run("item", "del", "people", "bob");
    told.add(deleted.exit() + " " + deleted.out().replaceAll("[0-9a-f]{20}", ""));
    told.add(text(kv.run("item", "get", "people", "bob")));
    told.add(text(kv.run("collection", "delete", "people")));
    told.add(text(kv.run("collection", "get", "people")));
    return told;
  }

  private static String text(KvProcess.Result result) {
    return result.exit() + " " + result.out();
  }
}
