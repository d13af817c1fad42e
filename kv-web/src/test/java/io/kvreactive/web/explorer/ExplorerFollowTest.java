package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.junit5.VertxExtension;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The list of entries follows changes, and its page can be sorted. */
@ExtendWith(VertxExtension.class)
class ExplorerFollowTest extends ChromiumTest {
  private static final String ADA = "[\"users\",\"ada\"]";

  private void openUsers() throws Exception {
    put(ADA, "{\"age\":36}");
    put("[\"users\",\"bob\"]", "\"Bob, who has a longer value\"");
    put("[\"users\",\"cyd\"]", "7");
    login();
    explorer.jump("users");
    explorer.untilRow("ada");
  }

  private void untilOrder(String keys) {
    page.until(
        "[...document.querySelectorAll('.entries tbody tr')].map(row => row.querySelector('.c-key').textContent)"
            + ".join(' ') === '"
            + keys
            + "'");
  }

  @Test
  void followsChangesOfThePage() throws Exception {
    openUsers();
    put("[\"users\",\"dan\"]", "1");
    explorer.untilRow("dan");
    page.until("document.querySelector('.entries tr.flash .c-key')?.textContent === 'dan'");
    explorer.choose("users");
    explorer.untilNodes("ada", "dan");
    put("[\"users\",\"eve\"]", "2");
    explorer.untilNodes("eve"); // the tree shows changes too
    explorer.untilRow("eve");
    delete("[\"users\",\"bob\"]");
    explorer.untilNoRow("bob");
    page.click(".follow");
    page.until("document.querySelector('.follow').getAttribute('aria-pressed') === 'false'");
    put(ADA, "{\"age\":37}");
    put("[\"others\"]", "1");
    page.press("r"); // reads once, and no longer follows changes
    page.until("document.querySelector('.entries tbody td.c-value').textContent.includes('37')");
    put("[\"users\",\"fay\"]", "1");
    page.click(".follow");
    explorer.untilRow("fay"); // changes made meanwhile are shown at once
    put(ADA, "{\"age\":38}");
    page.until("document.querySelector('.entries tbody td.c-value').textContent.includes('38')");
    explorer.tab("stats");
    put("[\"users\",\"gus\"]", "1");
    explorer.tab("data"); // after another view too
    explorer.untilRow("gus");
    put("[\"users\",\"hal\"]", "1");
    explorer.untilRow("hal");
  }

  @Test
  void keepsSelectionAndEdits() throws Exception {
    openUsers();
    explorer.allowEdits();
    page.clickElement("document.querySelectorAll('.entries td.c-pick input')[0]");
    page.clickElement("document.querySelectorAll('.entries td.c-pick input')[2]");
    page.untilText(".delete-selected", "Delete 2");
    put("[\"users\",\"cyd\"]", "8"); // no longer the selected entry
    page.untilText(".delete-selected", "Delete 1");
    assertThat(page.eval("document.querySelector('.entries td.c-pick input').checked").asBoolean())
        .isTrue();
    explorer.open("ada");
    put(ADA, "{\"age\":37}");
    page.until("document.querySelector('.editor textarea').value.includes('37')");
    explorer.write("{\"age\": 40}");
    put(ADA, "{\"age\":38}");
    page.untilText(".editor .stale", "It was changed meanwhile.");
    assertThat(explorer.value()).contains("40");
    delete(ADA);
    page.untilText(".editor .stale", "It was deleted meanwhile.");
    explorer.save();
    page.untilText(".conflict", "It was deleted meanwhile.");
  }

  @Test
  void readsAPageOnceForManyCommits() throws Exception {
    openUsers();
    page.eval(
        "globalThis.reads = 0; globalThis.fetched = fetch;"
            + " globalThis.fetch = (url, ...more) => { if (String(url).includes('/entries?')) reads++;"
            + " return fetched(url, ...more) }; 1");
    int commits = 200;
    for (int i = 1; i <= commits; i++) {
      put("[\"users\",\"cyd\"]", String.valueOf(i));
    }
    put("[\"users\",\"dan\"]", "1");
    explorer.untilRow("dan");
    assertThat(page.eval("reads").asInt()).isBetween(1, commits / 2);
  }

  @Test
  void turnsToAPageAlthoughTheFormerOneChanges() throws Exception {
    copy(
        IntStream.range(0, 101)
            .mapToObj(i -> "{\"key\":[\"many\",%d],\"value\":%d}".formatted(i, i))
            .toList());
    login();
    explorer.jump("many");
    explorer.untilRow("0"); // not many / 0, as among all keys
    page.eval(
        """
        globalThis.held = new Promise(go => { globalThis.release = go });
        const fetched = fetch;
        globalThis.fetch = async (url, options) => {
          if (String(url).includes('cursor=')) {
            await held;
            options.signal.throwIfAborted();
          }
          return fetched(url, options);
        };
        globalThis.followed = false;
        const later = setTimeout;
        globalThis.setTimeout = (call, ms) =>
          later(() => { call(); globalThis.followed ||= String(call).includes('again') }, ms);
        1
        """);
    page.click(".pager button[title='Next page']");
    put("[\"many\",0]", "\"changed\"");
    page.until("globalThis.followed");
    page.eval("release(); 1");
    explorer.untilRows(1);
  }

  @Test
  void sortsTheShownPage() throws Exception {
    openUsers();
    page.clickElement("document.querySelectorAll('.entries .sort-page')[4]");
    untilOrder("cyd ada bob");
    assertThat(page.text(".entries .where")).isEqualTo("3 entries");
    page.clickElement("document.querySelectorAll('.entries .sort-page')[4]");
    untilOrder("bob ada cyd");
    put("[\"users\",\"dan\"]", "\"the longest value of all, by far, so that it comes first\"");
    untilOrder("dan bob ada cyd"); // still sorted
    assertThat(
            page.eval("document.querySelectorAll('.entries th')[5].getAttribute('aria-sort')")
                .asText())
        .isEqualTo("descending");
    page.clickElement("document.querySelectorAll('.entries .sort-page')[4]");
    untilOrder("ada bob cyd dan");
    copy(
        IntStream.range(0, 101)
            .mapToObj(i -> "{\"key\":[\"many\",%d],\"value\":%d}".formatted(i, 1000 - i))
            .toList());
    explorer.jump("many");
    explorer.untilRows(100);
    page.clickElement("document.querySelectorAll('.entries .sort-page')[1]");
    page.until("document.querySelector('.entries tbody .c-value').textContent === 'number 901'");
    page.untilText(".entries .where", "sorted on this page only");
  }

  @Test
  void renamesAndCopiesInOneCommit() throws Exception {
    openUsers();
    explorer.allowEdits();
    explorer.open("ada");
    page.clickElement(
        "[...document.querySelectorAll('.editor-foot button')].find(b => b.textContent === 'Rename …')");
    page.until("document.querySelector('dialog.ask input').value === 'users/ada'");
    assertThat(page.eval("document.querySelector('dialog.ask .main').disabled").asBoolean())
        .isTrue();
    page.fill("dialog.ask input", "users/bob");
    page.click("dialog.ask .main");
    page.untilText("dialog.ask .error", "There is an entry [\"users\",\"bob\"] already.");
    page.fill("dialog.ask input", "kvi/x");
    page.click("dialog.ask .main");
    page.untilText("dialog.ask .error", "parts of collections");
    page.fill("dialog.ask input", "people/ada/1");
    page.click("dialog.ask .main");
    explorer.untilToast("Renamed.");
    page.untilText(".editor .key-title", "[\"people\",\"ada\",1]");
    page.until("document.querySelector('.crumbs [aria-current]').textContent === 'ada'");
    assertThat(stored(ADA)).contains("NO_SUCH_KEY");
    assertThat(stored("[\"people\",\"ada\",1]")).contains("{\"age\":36}");
    page.clickElement(
        "[...document.querySelectorAll('.editor-foot button')].find(b => b.textContent === 'Copy to …')");
    page.fill("dialog.ask input", "people/ada/2");
    page.click("dialog.ask .main");
    explorer.untilToast("Copied.");
    page.untilText(".editor .key-title", "[\"people\",\"ada\",2]");
    explorer.untilRows(2);
    assertThat(stored("[\"people\",\"ada\",1]")).contains("{\"age\":36}");
    page.clickElement(
        "[...document.querySelectorAll('.editor-foot button')].find(b => b.textContent === 'Rename …')");
    page.fill("dialog.ask input", "people/ada/3");
    put("[\"people\",\"ada\",2]", "\"changed\"");
    page.click("dialog.ask .main");
    page.untilText("dialog.ask .error", "The entry has changed since it was read.");
    assertThat(stored("[\"people\",\"ada\",2]")).contains("\"changed\"");
    assertThat(stored("[\"people\",\"ada\",3]")).contains("NO_SUCH_KEY");
  }
}
