package io.kvreactive.web.explorer;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The other views, below a mount point and with a store of the test. */
@ExtendWith(VertxExtension.class)
class ExplorerViewsTest extends ChromiumTest {
  private Mounted mounted;
  private Kv kv;

  @Override
  void startServer(Vertx vertx) {
    mounted = new Mounted(vertx);
    kv = mounted.kv;
  }

  @Override
  void stopServer() {
    mounted.close();
  }

  private void enter(String token) {
    explorer.login(mounted.uri(), token); // without the slash at the end
  }

  private void set(Object value, Object... key) {
    kv.set(KvKey.of(key), value).block(TestServer.TIMEOUT);
  }

  @Test
  void offersNoEditsToAReadOnlyToken() {
    set("Ada", "users", "ada");
    enter(Mounted.READER);
    explorer.untilRow("users / ada");
    assertThat(page.eval("document.getElementById('edits').disabled").asBoolean()).isTrue();
    assertThat(page.eval("document.getElementById('edits-label').title").asText())
        .isEqualTo("This token cannot write");
  }

  @Test
  void startsAtThePrefixOfTheTokenAndDisablesViewsThatItCannotUse() {
    set("Ada", "users", "ada");
    set("secret", "other");
    enter(Mounted.USERS);
    explorer.untilRow("ada");
    explorer.untilTree("users");
    explorer.choose("users");
    page.until("document.querySelectorAll('.tree li').length === 2");
    page.untilText("#connection", "connected");
    for (String view : List.of("collections", "query", "queues", "stats")) {
      assertThat(page.eval("document.querySelector('[data-view=" + view + "]').ariaDisabled"))
          .hasToString("\"true\"");
    }
    page.press("6");
    page.untilText("#denied", "READ access to all keys");
    explorer.tab("live");
    page.untilText(".live tbody", "Ada"); // begins at the prefix of the token
    page.eval("location.hash = '#view=live'");
    page.until("location.hash.includes('users')");
    assertThat(page.eval("toasts.length").asInt()).isZero();
  }

  @Test
  void keepsToastsAwayFromButtons() {
    set("Ada", "users", "ada");
    enter(Mounted.WRITER);
    explorer.allowEdits();
    explorer.untilRow("users / ada");
    explorer.open("users / ada");
    explorer.write("Augusta");
    explorer.save();
    page.untilVisible("#toasts p");
    assertThat(
            page.eval(
                    """
                    (() => {
                      const toast = document.querySelector('#toasts p').getBoundingClientRect();
                      return [...document.querySelectorAll('button, input, select, #tabs a')].some(one => {
                        const box = one.getBoundingClientRect();
                        return one.checkVisibility() && box.left < toast.right && toast.left < box.right
                          && box.top < toast.bottom && toast.top < box.bottom;
                      });
                    })()""")
                .asBoolean())
        .isFalse();
  }

  @Test
  void showsALargeValueOnlyOnRequestAndKeepsItUntilThen() {
    set("x".repeat((1 << 20) + 100), "large");
    enter(Mounted.WRITER);
    explorer.allowEdits();
    explorer.untilRow("large");
    assertThat(
            page.eval("document.querySelector('.entries td.c-value').textContent.length").asInt())
        .isLessThan(200);
    explorer.open("large");
    page.untilVisible(".large");
    assertThat(explorer.value()).isEmpty();
    page.choose(".editor-life select", "3600000");
    explorer.save(); // the expiry alone
    page.untilText(".entries td.c-expiry", "in ");
    String value = kv.get(KvKey.of("large"), String.class).block(TestServer.TIMEOUT).value();
    assertThat(value).hasSize((1 << 20) + 100);
    page.click(".large button");
    page.until("document.querySelector('.editor textarea').value.length === " + ((1 << 20) + 100));
  }

  @Test
  void showsNewCommits() {
    set("Ada", "users", "ada");
    set("elsewhere", "other");
    enter(Mounted.READER);
    explorer.jump("users");
    explorer.untilRow("ada");
    explorer.tab("live");
    page.untilText(".live tbody", "present");
    page.untilText(".live .note", "Watching");
    kv.atomic()
        .set(KvKey.of("users", "alan"), Map.of("name", "Alan"))
        .delete(KvKey.of("users", "ada"))
        .set(KvKey.of("other"), "not shown")
        .commit()
        .block(TestServer.TIMEOUT);
    page.untilText(".live tbody", "{\"name\":\"Alan\"}");
    page.untilText(".live tbody", "deleted");
    page.untilVisible(".live tr.flash");
    assertThat(page.text(".live tbody")).doesNotContain("not shown");
    page.untilText(".live .numbers", "2 in all");
    set("Turing", "users", "alan");
    page.untilText(".live tbody", "Turing"); // a log: both changes of the key are there
    assertThat(page.text(".live tbody")).contains("{\"name\":\"Alan\"}");
  }

  @Test
  void missesNothingDuringAPauseAndBoundsRows() {
    enter(Mounted.READER);
    explorer.tab("live");
    page.untilText(".live .note", "Watching");
    set("first", "first");
    page.untilText(".live tbody", "first");
    // it may have been stored before the list was read; then it is not a change
    int before = page.text(".live tbody").contains("present") ? 0 : 1;
    page.click(".live .bar > button");
    page.untilText(".live .note", "Paused");
    for (int n = 0; n < 4; n++) {
      var atomic = kv.atomic();
      for (int i = 0; i < 100; i++) {
        atomic.set(KvKey.of("many", n * 100 + i), i);
      }
      atomic.commit().block(TestServer.TIMEOUT);
    }
    assertThat(page.text(".live tbody")).doesNotContain("many");
    page.click(".live .bar > button");
    page.untilText(".live .numbers", (400 + before) + " in all");
    page.until("document.querySelectorAll('.live tbody tr').length === 300");
    page.untilText(".live tbody tr", "399");
  }

  @Test
  void deletesSelectedEntriesAndPrefixes() {
    for (int n = 0; n < 20; n++) {
      set(n, "n", n);
    }
    set("kept", "kept");
    enter(Mounted.WRITER);
    explorer.allowEdits();
    explorer.jump("n");
    explorer.untilRows(20);
    page.clickElement("document.querySelectorAll('.entries td input')[3]");
    page.clickElement("document.querySelectorAll('.entries td input')[5]");
    page.untilText(".delete-selected", "Delete 2");
    set("changed meanwhile", "n", 5);
    page.click(".delete-selected");
    page.click(".ask button[value=yes]");
    explorer.untilToast("changed meanwhile");
    page.click("[aria-label='Read again']");
    page.until("document.querySelectorAll('.entries td input:checked').length === 0");
    page.untilText(".entries tbody tr:nth-child(6)", "changed meanwhile");
    page.clickElement("document.querySelectorAll('.entries td input')[3]");
    page.clickElement("document.querySelectorAll('.entries td input')[5]");
    page.click(".delete-selected");
    page.click(".ask button[value=yes]");
    explorer.untilToast("Deleted 2 entries.");
    explorer.untilRows(18);
    page.click(".delete-all");
    page.untilText(".ask", "18 entries");
    assertThat(page.eval("document.querySelector('.ask [value=yes]').disabled").asBoolean())
        .isTrue();
    page.fill(".ask input", "n");
    page.click(".ask button[value=yes]");
    explorer.untilToast("Deleted 18 entries.");
    explorer.untilRows(0);
    assertThat(kv.count(KvRange.all()).block(TestServer.TIMEOUT)).isEqualTo(1);
  }

  @Test
  void resizesPanesByKeyboard() {
    enter(Mounted.READER);
    page.untilVisible(".splitter");
    int before = page.eval("document.querySelector('.side').offsetWidth").asInt();
    page.eval("document.querySelector('.splitter').focus()");
    page.press("ArrowRight");
    page.until("document.querySelector('.side').offsetWidth > " + before);
    page.open(mounted.uri() + "/?again");
    page.until("document.querySelector('.side')?.offsetWidth > " + before);
  }

  @Test
  void showsQueuesAndAddsToThem() throws Exception {
    Seed.queues(kv);
    enter(Mounted.WRITER);
    explorer.tab("queues");
    page.untilText(".queues tbody", "images");
    assertThat(page.visible(".enqueue")).isFalse();
    explorer.allowEdits();
    page.fill(".enqueue input[type=text]", "images");
    page.fill(".enqueue textarea", "{\"resize\": ");
    page.untilText(".enqueue .error", "JSON");
    page.fill(".enqueue textarea", "{\"resize\": 12}");
    page.click(".enqueue button");
    explorer.untilToast("Enqueued.");
    page.until(
        "[...document.querySelectorAll('.queues tbody tr')].some(row =>"
            + " row.cells[0].textContent === 'images' && row.cells[1].textContent === '3')");
  }

  @Test
  void drawsStatistics() {
    for (int n = 0; n < 10; n++) {
      set(n, "n", n);
    }
    enter(Mounted.READER);
    explorer.tab("stats");
    page.untilText(".chart:nth-child(4)", "10");
    page.until("document.querySelector('.chart polyline').getAttribute('points').includes(' ')");
    assertThat(page.text(".chart .axis")).contains("5 min ago", "now");
    assertThat(page.text(".stats .facts")).contains("in the commit log");
    assertThat(page.text(".stats .facts")).contains("Commits10");
  }

  @Test
  void importsItsExports() throws Exception {
    Seed.fill(kv);
    List<String> before = lines();
    enter(Mounted.WRITER);
    explorer.tab("transfer");
    page.click(".transfer .main");
    page.untilText(".transfer p[role=status]", "default.jsonl");
    Path file = downloads.resolve("default.jsonl");
    Page.untilThere(file);
    assertThat(Files.readAllLines(file)).hasSameSizeAs(before);
    kv.deleteRange(KvRange.all()).block(TestServer.TIMEOUT);
    page.attach(".transfer input[type=file]", file);
    assertThat(page.text(".transfer .dim:not([hidden])")).isNotEmpty();
    explorer.allowEdits();
    page.click(".transfer .card:nth-child(2) .main");
    page.untilText(".transfer .card:nth-child(2) p[role=status]", "imported");
    assertThat(lines()).isEqualTo(before);
  }

  @Test
  void reportsTheWrongLineOfAnImport() throws Exception {
    Path broken = downloads.resolve("broken.jsonl");
    Files.writeString(broken, "{\"key\":[1],\"value\":1}\n{\"key\":[2],\"wert\":1}\n");
    enter(Mounted.WRITER);
    explorer.allowEdits();
    explorer.tab("transfer");
    page.attach(".transfer input[type=file]", broken);
    page.click(".transfer .card:nth-child(2) .main");
    page.untilText(".transfer .card:nth-child(2) p.error", "wert");
    page.untilText(".transfer .card:nth-child(2) p.error", "line 2");
    page.untilText(".transfer .card:nth-child(2) p.error", "1 entry stored.");

    Path file = downloads.resolve("long.jsonl");
    String value = "x".repeat(1000);
    int good = 1_200; // two chunks of a MiB
    String lines =
        IntStream.range(0, good)
            .mapToObj(i -> "{\"key\":[\"n\",%d],\"value\":\"%s\"}\n".formatted(i, value))
            .collect(joining());
    Files.writeString(file, lines + "{\"key\":[2],\"wert\":1}\n");
    page.attach(".transfer input[type=file]", file);
    page.click(".transfer .card:nth-child(2) .main");
    page.untilText(".transfer .card:nth-child(2) p.error", "line " + (good + 1));
    page.untilText(".transfer .card:nth-child(2) p.error", "1,200 entries stored.");
  }

  @Test
  void reportsThatTheServerIsStopping() {
    set("Ada", "users", "ada");
    enter(Mounted.READER);
    explorer.tab("live");
    page.untilText(".live tbody", "Ada");
    mounted.lifecycle.drain();
    explorer.tab("data");
    page.press("r");
    page.untilText("#banner", "is being stopped");
    assertThat(page.visible("#token")).isFalse();
  }

  /** Returns the lines without the fields that an import does not preserve. */
  private List<String> lines() {
    return kv.admin()
        .exportLines(KvRange.all())
        .map(line -> line.replaceAll(",\"versionstamp\":\"[^\"]*\"", ""))
        .collectList()
        .block(TestServer.TIMEOUT);
  }
}
