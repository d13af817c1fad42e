package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.DocumentBlocks.Block;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the shell blocks of each document from top to bottom in one shell, as a reader would. The
 * word after {@code sh} is the kind of the block:
 *
 * <ul>
 *   <li>none: the block must succeed. A {@code text} or {@code json} block right after it is not
 *       compared, see {@code RestDocumentTest}
 *   <li>{@code serve}: starts a server, which the rest of the document uses
 *   <li>{@code stream}: runs until Ctrl-C; the block must print a line
 *   <li>{@code install}: needs an operating system, a cluster or the network; the syntax is checked
 *       and the files of the repository that it names must exist
 * </ul>
 *
 * Before each document, a server with a new store is started, and {@code ./kv} is the command of
 * the compiled classes, in a process of its own for blocks that do not end. The port 4512 of the
 * documents becomes the port of that server.
 */
@Timeout(600)
@ExtendWith(VertxExtension.class)
class DocumentCommandsTest {
  private static final Set<String> RUN = Set.of("sh", "sh serve", "sh stream");
  private static final long SECONDS = 300;
  private static final Pattern PACKAGED = Pattern.compile("(?<![\\w/.])packaging/[\\w./-]+\\w");

  @TempDir Path work;

  static Stream<Path> documents() {
    return DocumentBlocks.documents().stream()
        .filter(
            document ->
                DocumentBlocks.of(document).stream().anyMatch(block -> RUN.contains(block.info())));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void runsEveryShellBlock(Path document, Vertx vertx) throws Exception {
    Path store = Files.createDirectory(work.resolve("served"));
    Path backups = Files.createDirectory(work.resolve("backups"));
    ServerOptions options = ServerOptions.at(store);
    ServerOptions withBackups = options.withRoutes(options.routes().withBackupDirectory(backups));
    try (TestServer server = TestServer.start(vertx, withBackups)) {
      Path script = script(document, server);
      Path output = work.resolve("output");
      Process shell =
          new ProcessBuilder("bash", script.toString())
              .directory(emptied(KV.directory).toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        assertThat(shell.waitFor(SECONDS, TimeUnit.SECONDS)).as(Files.readString(output)).isTrue();
      } finally {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly().onExit().join();
      }
      assertThat(shell.exitValue()).withFailMessage(() -> tail(output)).isZero();
      assertThat(Files.readAllLines(output).stream().filter(line -> line.startsWith("== ")))
          .as("each block has run")
          .hasSameSizeAs(
              DocumentBlocks.of(document).stream()
                  .filter(block -> RUN.contains(block.info()))
                  .toList());
    }
  }

  private static Path emptied(Path directory) throws IOException {
    try (Stream<Path> left = Files.list(directory)) {
      left.forEach(SharedClasses::delete);
    }
    return directory;
  }

  private static String tail(Path output) {
    try {
      List<String> lines = Files.readAllLines(output);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private Path script(Path document, TestServer server) throws IOException {
    StringBuilder script = new StringBuilder(PRELUDE);
    Path bin = Files.createDirectory(work.resolve("bin"));
    Path kv = KV.script(bin);
    script
        .append("export PATH=\"" + bin + ":$PATH\" PORT=" + server.port() + " KV_PORT=0\n")
        .append("export TOKEN=" + TestServer.TOKEN + " KV_TOKEN=" + TestServer.TOKEN + "\n")
        .append("export KV_URL=" + server.uri("") + " ROOT='" + DocumentBlocks.ROOT + "'\n")
        .append("ln -s '" + kv + "' kv\ncp -r \"$ROOT/packaging\" packaging\n");
    int number = 0;
    for (Block block : DocumentBlocks.of(document)) {
      if (RUN.contains(block.info())) {
        Path file = work.resolve("block-" + number++ + ".sh");
        Files.writeString(file, block.text());
        String how = block.info().equals("sh") ? "run" : block.info().substring("sh ".length());
        script.append(how + " '" + file + "' '" + block + "'\n");
      }
    }
    return Files.writeString(work.resolve("document.sh"), script.append("exit 0\n"));
  }

  /** Each function has the arguments file of the block, and name for messages. */
  private static final String PRELUDE =
      """
      set -eEuo pipefail
      exec </dev/null # some commands read it
      trap 'echo "FAILED in $at"' ERR
      served=
      trap '[ -z "$served" ] || kill -9 -- $served 2>/dev/null' EXIT
      begin() {
        at=$2
        printf '\\n== %s\\n' "$2" # answers of curl end without a line end
        sed "s/:4512/:$PORT/g; s/3TbyQSQB3WT8JcUVs6BEJDkJbZzJ6tq1/$TOKEN/g" "$1" >"$1.now"
      }
      run() {
        begin "$@"
        . "$1.now"
      }
      # the command leads a process group of its own, so that all of it can be ended
      serve() {
        begin "$@"
        local line=
        exec {from}< <(OWN_PROCESS=true KV_LOG_LEVEL=warn exec setsid bash -e "$1.now" 2>&1)
        served+=" -$!" # its group; a document may start several servers
        while [[ $line != 'listening on '* ]]; do
          read -r -t 120 line <&"$from" || { echo "FAILED in $at: no server"; exit 1; }
          echo "$line"
          [[ $line != 'access token: '* ]] || export TOKEN=${line#*: } KV_TOKEN=${line#*: }
        done
        PORT=${line##*:}
        export KV_URL=${line#listening on }
        attack
      }
      # callers without the token, and pages of other origins, are refused
      attack() {
        local of='Authorization: Bearer' evil=http://evil.example call calls=() answers code wanted
        for call in 'GET /api/v1/entries' 'PUT /api/v1/entry?key=%5B1%5D' 'GET /api/v1/stream' \\
          'DELETE /api/v1/entries?prefix=%5B%5D' 'POST /' 'POST /v2/snapshot_read' 'POST /v2/atomic_write'; do
          answers 401 "$call"
          answers 401 "$call" -H "$of $(printf 'x%.0s' {1..40})"
          answers 403 "$call" -H "$of $TOKEN" -H "Origin: $evil"
          [[ $KV_URL == https:* ]] || answers 403 "$call" -H "$of $TOKEN" -H 'Host: evil.example'
        done
        answers=$(curl "${calls[@]}") || true
        while read -r code _ _ wanted call; do
          [ "$code" = "$wanted" ] || { echo "FAILED in $at: $code instead of $wanted $call"; exit 1; }
        done <<<"$answers"
      }
      answers() { # status, method and path, options of curl
        local wanted=$1 call=$2
        shift 2
        [ ${#calls[@]} = 0 ] || calls+=(--next)
        calls+=(-sk -o /dev/null -w "%{http_code} instead of $wanted ${call//%/%%} $*\\n" --http1.1
          -H 'x-denokv-version: 3' -X "${call% *}" -d 1 "$@" "$KV_URL${call#* }")
      }
      # something changes for those who follow changes
      stream() {
        begin "$@"
        local line= tries=0
        exec {from}< <(OWN_PROCESS=true exec setsid bash -e "$1.now" 2>"$1.err")
        local streaming=$!
        until IFS= read -r -t 1 line <&"$from"; do
          tries=$((tries + 1))
          if [ "$tries" -gt 120 ] || ! kill -0 "$streaming" 2>/dev/null; then
            cat "$1.err"
            echo "FAILED in $at: prints nothing"
            exit 1
          fi
          curl -s -o /dev/null -X PUT -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
            --url-query 'key=["users","ada"]' -d '{"name":"Ada","age":37}' "$KV_URL/api/v1/entry"
        done
        echo "$line"
        kill -9 -- "-$streaming" 2>/dev/null || true
      }
      """;

  /** Checks the syntax of commands for other machines, and the existence of their files. */
  @Test
  void checksCommandsOfInstallations() throws Exception {
    List<Block> blocks = DocumentBlocks.in("sh install");
    assertThat(blocks).isNotEmpty();
    List<String> missing = new ArrayList<>();
    for (Block block : blocks) {
      Path file = Files.writeString(work.resolve("install.sh"), block.text());
      Process syntax =
          new ProcessBuilder("bash", "-n", file.toString()).redirectErrorStream(true).start();
      String complaint = new String(syntax.getInputStream().readAllBytes());
      assertThat(syntax.waitFor()).as(block + "\n" + complaint).isZero();
      Matcher named = PACKAGED.matcher(block.text());
      while (named.find()) {
        if (!Files.exists(DocumentBlocks.ROOT.resolve(named.group()))) {
          missing.add(block + ": " + named.group());
        }
      }
    }
    assertThat(missing).isEmpty();
  }
}
