package io.kvreactive.examples.run;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.examples.CapturedScreen;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class LauncherTest {
  private static final KvKey KEY = KvKey.of("key");

  private final CapturedScreen captured = new CapturedScreen();
  private final Launcher launcher = new Launcher("test", captured.screen(false));
  @TempDir Path directory;

  private int run(Program program, String... args) {
    return await(launcher.run(args, program));
  }

  @Test
  void closesTheStoreForTheNextRun() {
    String path = "--path=" + directory;
    assertThat(run((kv, screen) -> kv.set(KEY, "value").then(), path)).isZero();
    Program read =
        (kv, screen) -> kv.get(KEY).doOnNext(entry -> screen.line("%s", entry.value())).then();
    assertThat(run(read, path)).isZero();
    assertThat(captured.lines()).last().isEqualTo("value");
  }

  @Test
  void printsAProgramErrorAndReturnsStatusOne() {
    Program broken = (kv, screen) -> Mono.error(new IllegalStateException("it broke"));
    assertThat(run(broken, "--path", directory.toString())).isEqualTo(1);
    assertThat(captured.err()).startsWith("error: it broke");
  }

  @Test
  void reportsAStoreInUseAsLocked() {
    String path = directory.toString();
    Mono<Integer> open = launcher.run(new String[] {"--path", path}, twice());
    Program second = (kv, screen) -> open.subscribeOn(Schedulers.parallel()).then();
    assertThat(run(second, "--path", path)).isZero();
    assertThat(captured.err()).contains("LOCKED").contains(path);
  }

  private static Program twice() {
    return (kv, screen) -> Mono.error(new AssertionError("opened twice"));
  }

  @Test
  void explainsAnUnknownArgumentAndReturnsStatusTwo() {
    assertThat(run((kv, screen) -> Mono.empty(), "--paht")).isEqualTo(2);
    assertThat(captured.err()).contains("--paht").contains("usage: test [--path DIR]");
  }

  @Test
  void readsASizeFromPresetOrOption() {
    String path = "--path=" + directory;
    Program.Sized show = (kv, screen, count) -> Mono.fromRunnable(() -> screen.line("" + count));
    Size preset = new Size("orders", 7);
    assertThat(await(launcher.run(new String[] {path}, preset, show))).isZero();
    assertThat(await(launcher.run(new String[] {path, "--orders", "3"}, preset, show))).isZero();
    assertThat(captured.lines()).contains("7", "3");
    assertThat(await(launcher.run(new String[] {"--orders=0"}, preset, show))).isEqualTo(2);
    assertThat(captured.err())
        .contains("--orders: 0 (expected: a number, at least 1)")
        .contains("usage: test [--path DIR] [--orders N]");
  }

  @Test
  void replacesPresetsByOperands() {
    String path = "--path=" + directory;
    Program.WithOperands show =
        (kv, screen, count, names) -> Mono.fromRunnable(() -> screen.line(count + " " + names));
    Size size = new Size("orders", 7);
    Operands names = new Operands("NAME", List.of("ada"));
    assertThat(await(launcher.run(new String[] {path}, size, names, show))).isZero();
    String[] given = {"bob", path, "x=y", "--orders", "3"};
    assertThat(await(launcher.run(given, size, names, show))).isZero();
    assertThat(captured.lines()).contains("7 [ada]", "3 [bob, x=y]");
    assertThat(await(launcher.run(new String[] {"--help"}, size, names, show))).isEqualTo(2);
    assertThat(captured.err())
        .contains("argument: --help (expected: --path DIR, --orders N, NAME)")
        .contains("usage: test [--path DIR] [--orders N] [NAME ...]");
    assertThat(run((kv, screen) -> Mono.empty(), "bob")).isEqualTo(2);
  }
}
