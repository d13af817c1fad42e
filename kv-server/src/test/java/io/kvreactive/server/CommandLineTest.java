package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.server.command.ClientCommands;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Help for users: lists of commands, hints in errors, and the shell. */
@Timeout(600)
class CommandLineTest {
  @TempDir Path directory;

  private String[] local(String... arguments) {
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--path";
    all[arguments.length + 1] = directory.resolve("store").toString();
    return all;
  }

  private KvProcess.Result run(String... arguments) throws Exception {
    return KV.run(local(arguments));
  }

  @Test
  void listsEveryCommandInTheHelpOfTheScript() throws Exception {
    Path script = Path.of("kv");
    if (!Files.exists(script)) {
      script = Path.of("..", "kv");
    }
    String text = Files.readString(script);
    String help = text.substring(text.indexOf("usage: ./kv"), text.indexOf("environment:"));
    for (Class<?> command : ClientCommands.commands()) {
      String name = command.getAnnotation(CommandLine.Command.class).name();
      assertThat(help).containsPattern("\\b" + name + "\\b");
    }
    assertThat(KvMain.commandLine("").getUsageMessage())
        .contains("  count ", "  shell ", "  query ");
  }

  @Test
  void countsSumsAndNamesDatabases() throws Exception {
    assertThat(run("sum", "visits/7").exit()).isZero();
    assertThat(run("sum", "visits/7", "41").exit()).isZero();
    assertThat(run("get", "visits/7").out()).isEqualTo("{\"$u64\":\"42\"}");
    assertThat(run("sum", "n", "-1.5", "--type", "number").exit()).isZero();
    assertThat(run("get", "n").out()).isEqualTo("-1.5");
    KvProcess.Result negative = run("sum", "visits/7", "-1");
    assertThat(negative.exit()).isEqualTo(2);
    assertThat(negative.err()).contains("--type number");
    assertThat(run("count").out()).isEqualTo("2");
    assertThat(run("count", "--prefix", "visits", "-o", "json").out()).isEqualTo("{\"count\":1}");
    assertThat(run("databases").out()).isEqualTo("default");
    assertThat(run("list", "-o", "table").out()).contains("key", "visits", "(2 rows)");
  }

  /** KV_CREATE is true in the processes of tests. */
  @Test
  void takesAFlagThatItsVariableSetsToo() throws Exception {
    assertThat(run("set", "a", "1", "--create").exit()).isZero();
  }

  @Test
  void saysWhatToType() throws Exception {
    KvRunner strict = KV.with(Map.of("KV_CREATE", "false"));
    KvProcess.Result missing = strict.run(local("set", "a", "1"));
    assertThat(missing.exit()).isEqualTo(2);
    assertThat(missing.err()).contains("--create");
    assertThat(directory.resolve("store")).doesNotExist();
    assertThat(strict.run(local("set", "events/\"7\"", "1", "--create")).exit()).isZero();
    assertThat(run("get", "events/7").err()).contains("'events/\"7\"'");
    assertThat(run("set", "a", "hello").err()).contains("'\"hello\"'", "--as string");
    assertThat(run("watch", "users/bob", "--since", "0").err()).contains("--prefix users/bob");
    assertThat(KV.run("gte").err()).contains("Did you mean: kv get?");
    assertThat(KV.run("collection", "lsit").err())
        .contains("unknown command lsit", "Did you mean: kv collection list?");
    assertThat(KV.run("ver").err()).contains("Did you mean: kv verify or kv version?");
    assertThat(KV.run("nosuch").err()).isEqualTo("kv: unknown command nosuch\nTry 'kv --help'.\n");
    assertThat(run("watch", "a", "--prefix", "b").err()).contains("KEYs and a range");
    assertThat(run("del", "a", "--prefix", "b").err()).contains("a KEY and a range");
    assertThat(KV.run("get", "a", "--timeout", "0s").err())
        .isEqualTo("kv: timeout 0 (expected: such as 500ms, 10s or 5m)\n");
    assertThat(KV.run("serve", "--help").out())
        .contains("Default: 10s", "Default: 16k", "--memory[=BOOL]")
        .doesNotContain("Default: PT", "[]");
    Path malformed = directory.resolve("malformed.jsonl");
    Files.writeString(malformed, "{\"key\":[\"q\"],\"value\":}\n");
    assertThat(run("import", malformed.toString()).err().lines()).hasSize(1);
    run("collection", "create", "people");
    assertThat(run("item", "get", "people", "x").err()).contains("not found");
    assertThat(run("query", "people", "SELECT * FROM c WHERE d.a = 1").err())
        .contains("at character 23");
    Path definition = directory.resolve("definition.json");
    Files.writeString(definition, "{\"partitionKey\":{\"paths\":[\"/country\"]}}");
    run("collection", "create", "places", "--policy", definition.toString());
    assertThat(run("item", "put", "places", "{\"id\":\"a\",\"country\":\"uk\"}").exit()).isZero();
    assertThat(run("item", "get", "places", "a").err()).contains("--partition VALUE");
    assertThat(run("item", "get", "places", "a", "--partition", "uk").out()).contains("\"uk\"");
    // the output of get is valid input of replace
    Files.writeString(definition, run("collection", "get", "places").out());
    assertThat(run("collection", "replace", "places", "--policy", definition.toString()).exit())
        .isZero();
  }

  private KvProcess.Result onTerminal(String typed, String... arguments) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script of util-linux");
    List<String> prefix = List.of("sh", "-c", "exec script -qec \"$*\" /dev/null", "sh");
    return KvProcess.run(prefix, typed + "\n", local(arguments));
  }

  /** ESC and a C1 control, and a mark that reverses the text after it, as JSON and as they are. */
  private static final String HOSTILE = "\u001b[31m\u009b2J\u202e\u2066";

  private static final Pattern INTERPRETED =
      Pattern.compile(
          "[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]");

  @Test
  void printsNothingThatATerminalInterprets() throws Exception {
    String json = "\"\\u001b[31m\\u009b2J\\u202e\\u2066\"";
    Path item = directory.resolve("item.json");
    Files.writeString(item, "{\"id\":\"1\"," + json + ":" + json + "}");
    assertThat(run("set", "[\"k\"," + json + "]", json).exit()).isZero();
    run("collection", "create", "people");
    assertThat(run("item", "put", "people", "--file", item.toString()).exit()).isZero();
    String query = "SELECT * FROM c";
    List<List<String>> commands =
        List.of(
            List.of("list"),
            List.of("list", "-o", "json"),
            List.of("list", "-o", "table"),
            List.of("export"),
            List.of("query", "people", query),
            List.of("query", "people", query, "-o", "table"),
            List.of("item", "get", "people", "1"));
    for (List<String> command : commands) {
      String out = run(command.toArray(String[]::new)).out();
      assertThat(out)
          .as(command.toString())
          .doesNotContainPattern(INTERPRETED)
          .contains("\\u009b2J");
    }
    String[] get = {"get", "[\"k\"," + json + "]", "--as", "string"};
    assertThat(run(get).out()).as("exact for a pipe").isEqualTo(HOSTILE);
    assertThat(onTerminal("", "get", "'[\"k\"," + json + "]'", "--as", "string").out())
        .doesNotContainPattern(INTERPRETED)
        .contains("\\u009b2J");
    assertThat(run("get", "[\"absent\"," + json + "]").err())
        .doesNotContainPattern(INTERPRETED)
        .contains("does not exist");
    assertThat(run("collection", "get", HOSTILE).err()).doesNotContainPattern(INTERPRETED);
    assertThat(KV.run(HOSTILE).err()).doesNotContainPattern(INTERPRETED);
  }

  @Test
  void keepsTheHistoryForItsOwner() throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));
    Path history = Files.createFile(home.resolve(".kv_history"));
    Files.setPosixFilePermissions(history, PosixFilePermissions.fromString("rw-r--r--"));
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script of util-linux");
    List<String> prefix =
        List.of(
            "sh",
            "-c",
            "export JAVA_TOOL_OPTIONS=-Duser.home=" + home + "; exec script -qec \"$*\" /dev/null",
            "sh");
    KvProcess.Result shell = KvProcess.run(prefix, "set a 1\nexit\n", local("shell"));
    assertThat(shell.exit()).as(shell.out() + shell.err()).isZero();
    assertThat(history).content().contains("set a 1");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(history)))
        .isEqualTo("rw-------");
  }

  @Test
  void asksOnATerminalBeforeItDeletesARange() throws Exception {
    Path lines = directory.resolve("lines.jsonl");
    Files.writeString(lines, "{\"key\":[\"a\",1],\"value\":1}\n{\"key\":[\"a\",2],\"value\":2}\n");
    run("import", lines.toString());
    KvProcess.Result refused = onTerminal("n", "del", "--prefix", "a");
    assertThat(refused.exit()).isEqualTo(1);
    assertThat(refused.out()).contains("Delete 2 keys? [y/N]", "nothing was deleted");
    assertThat(run("count").out()).isEqualTo("2");
    assertThat(onTerminal("y", "del", "--prefix", "a").exit()).isZero();
    assertThat(run("count").out()).isEqualTo("0");
    run("import", lines.toString());
    KvProcess.Result unasked = onTerminal("n", "del", "--prefix", "a", "--yes");
    assertThat(unasked.out()).doesNotContain("[y/N]");
    assertThat(run("count").out()).isEqualTo("0");

    run("collection", "create", "people");
    run("item", "put", "people", "{\"id\":\"1\"}");
    KvProcess.Result kept = onTerminal("", "collection", "delete", "people");
    assertThat(kept.out()).contains("Delete the collection \"people\" with 1 item? [y/N]");
    assertThat(kept.exit()).isEqualTo(1);
    assertThat(run("collection", "delete", "people").exit()).as("not on a terminal").isZero();
  }

  @Test
  void printsVersions() throws Exception {
    assertThat(KV.run("version").out())
        .startsWith("kv ")
        .contains("Java " + System.getProperty("java.version"), System.getProperty("os.arch"));
  }

  @Test
  void writesACompletionScriptForFish() throws Exception {
    KvProcess.Result script = KV.run("completion", "fish");
    assertThat(script.exit()).isZero();
    assertThat(script.out())
        .contains(
            "complete -c kv -n '__kv_after ' -a get -d 'Prints the value of a key as JSON",
            "complete -c kv -n '__kv_after collection' -a create ",
            "complete -c kv -n '__kv_after query' -a '(__kv_names collection list)'",
            "complete -c kv -n '__kv_in get' -s o -l output -xa 'text json table'",
            "complete -c kv -n '__kv_in get' -l token-file -rF ")
        .doesNotContain("'__kv_after collection create' -a");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/fish")), "fish");
    Path file = Files.writeString(directory.resolve("kv.fish"), script.out() + "\n");
    Process fish =
        new ProcessBuilder("fish", "-c", "source " + file + "; complete -C 'kv collection cr'")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("create\tCreates a collection; exits with 1 if it exists\n");
  }

  @Test
  void readsFilesByFlagAndByArgument() throws Exception {
    Path lines = directory.resolve("lines.jsonl");
    Files.writeString(lines, "{\"key\":[\"a\"],\"value\":1}\n");
    assertThat(run("import", "--file", lines.toString()).out()).isEqualTo("1 entry");
    Path exported = directory.resolve("exported.jsonl");
    assertThat(run("export", exported.toString()).exit()).isZero();
    assertThat(Files.readString(exported)).contains("\"key\":[\"a\"]");
    assertThat(run("import", lines.toString(), "--file", lines.toString()).exit()).isEqualTo(2);
    Path operation = directory.resolve("operation.json");
    Files.writeString(operation, "{\"mutations\":[{\"type\":\"delete\",\"key\":[\"a\"]}]}");
    assertThat(run("atomic", "--file", operation.toString()).exit()).isZero();
    assertThat(run("count").out()).isEqualTo("0");
  }

  @Test
  void runsTheLinesOfAShell() throws Exception {
    String session =
        """
        # comments and blank lines are skipped

        set users/ada {"name": "Ada", "age": 36}
        get users/ada
        set greeting "hello world"
        get greeting --as string
        collection create people
        item put people {"id":"1","city":"Oslo"}
        SELECT VALUE p.city FROM people p
        use people
        SELECT VALUE COUNT(1) FROM c
        count --prefix users
        nosuch
        get nobody
        exit
        get users/ada
        """;
    KvProcess.Result result = KV.with(session, local("shell"));
    assertThat(result.out().lines().filter(line -> !line.matches("[0-9a-f]{20}")))
        .contains("{\"name\":\"Ada\",\"age\":36}", "\"Oslo\"", "1")
        .anyMatch(line -> line.startsWith("hello world"));
    assertThat(result.out()).containsOnlyOnce("{\"name\":\"Ada\",\"age\":36}");
    assertThat(result.err()).contains("unknown command nosuch", "[\"nobody\"] does not exist");
    assertThat(result.exit()).isEqualTo(1);
  }
}
