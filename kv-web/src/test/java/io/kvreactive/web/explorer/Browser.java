package io.kvreactive.web.explorer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The headless Chromium of all tests of a JVM, with an empty profile that is deleted at the end.
 */
final class Browser {
  private static final List<String> NAMES =
      List.of(
          "chromium-headless-shell", // starts and draws with less work
          "chromium",
          "chromium-browser",
          "google-chrome",
          "google-chrome-stable");
  private static final String READY = "DevTools listening on ";

  private static Browser shared;

  private final Process process;
  private final Path profile;
  private final Devtools devtools;
  private Page page;

  private Browser(Process process, Path profile, Devtools devtools) {
    this.process = process;
    this.profile = profile;
    this.devtools = devtools;
  }

  /** Finds an installed browser in the directories of PATH. */
  static Optional<Path> find() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      for (String name : NAMES) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program)) {
          return Optional.of(program);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the browser of this JVM, which runs until the JVM ends. */
  static synchronized Browser shared(Path program) throws IOException {
    if (shared == null || !shared.process.isAlive()) {
      Browser started = start(program);
      Runtime.getRuntime().addShutdownHook(new Thread(started::close, "chromium-close"));
      shared = started;
    }
    return shared;
  }

  private static Browser start(Path program) throws IOException {
    Path profile = Files.createTempDirectory("kv-explorer-");
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox", // in containers, as root
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                // there is one page, which keeps its process and nothing that was left
                "--disable-features=SpareRendererForSitePerProcess,BackForwardCache",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--no-startup-window")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new Browser(process, profile, Devtools.connect(address(process)));
  }

  private static URI address(Process process) throws IOException {
    BufferedReader errors = process.errorReader(StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      if (line.startsWith(READY)) {
        Thread drain = new Thread(() -> errors.lines().forEach(ignored -> {}), "chromium-stderr");
        drain.setDaemon(true);
        drain.start();
        return URI.create(line.substring(READY.length()).strip());
      }
      lines.add(line);
    }
    throw new AssertionError("Chromium did not start: " + String.join("\n", lines));
  }

  /** Returns the page, which is empty, with a directory for its downloads. */
  synchronized Page page(Path downloads) {
    send(
        "Browser.setDownloadBehavior",
        "behavior",
        "allow",
        "downloadPath",
        downloads.toString(),
        "eventsEnabled",
        true);
    if (page == null || !page.isLeft()) {
      String target = send("Target.createTarget", "url", "about:blank").get("targetId").asText();
      String session =
          send("Target.attachToTarget", "targetId", target, "flatten", true)
              .get("sessionId")
              .asText();
      page = new Page(devtools, session);
    }
    page.reset();
    return page;
  }

  private JsonNode send(String method, Object... params) {
    return devtools.send("", method, params);
  }

  private void close() {
    List<ProcessHandle> all = process.descendants().toList();
    try {
      send("Browser.close");
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      devtools.close();
      all.forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      delete(profile);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      directory.toFile().deleteOnExit(); // the browser was still writing; the folder is temporary
    }
  }
}
