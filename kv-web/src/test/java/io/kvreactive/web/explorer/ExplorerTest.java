package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Ports;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Navigation of the explorer: login, tree, paging and jumps. */
@ExtendWith(VertxExtension.class)
class ExplorerTest extends ChromiumTest {
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void asksForTheTokenOnceUnlessItIsWrong() throws Exception {
    page.open(server.uri("/").toString());
    page.untilVisible("#token");
    assertThat(page.text("#login-error")).isEmpty();
    page.fill("#token", "not-the-token");
    page.press("Enter");
    page.untilText("#login-error", "does not take this token");
    explorer.signIn(TestServer.TOKEN);
    page.untilText(".empty", "This database is empty.");
    put("[\"a\"]", "1");
    explorer.untilRow("a");
    assertThat(page.eval("location.href").asText()).doesNotContain(TestServer.TOKEN);
    assertThat(page.eval("JSON.stringify(localStorage)").asText()).doesNotContain(TestServer.TOKEN);
    page.open(server.uri("/") + "?again");
    explorer.untilRow("a");
    assertThat(page.visible("#token")).isFalse();
    page.click("#leave");
    page.untilVisible("#token");
  }

  @Test
  void takesTheTokenOfALinkThatSignsIn() throws Exception {
    put("[\"a\"]", "1");
    page.open(server.uri("/") + "#token=" + TestServer.TOKEN);
    explorer.untilRow("a");
    assertThat(page.visible("#token")).isFalse();
    assertThat(page.eval("location.href").asText()).doesNotContain(TestServer.TOKEN);
  }

  @Test
  void showsATreeOfAllKindsOfParts() throws Exception {
    shop();
    login();
    explorer.untilRows(100);
    explorer.untilTree(
        "counters", "orders", "products", "sessions", "settings", "users", "users_by_email");
    explorer.choose("settings"); // a key itself, and a prefix
    explorer.untilOpen();
    assertThat(explorer.value()).contains("\"owner\": \"ada\"");
    explorer.choose("beta");
    explorer.untilRow("true");
    assertThat(explorer.keys()).containsExactly("false", "true");
    explorer.untilNodes("theme", "beta", "false", "true");
    assertThat(explorer.tree()).doesNotContain("ada");
    explorer.choose("orders");
    explorer.choose("2026");
    explorer.choose("12");
    explorer.untilRow("1000000087109n");
    assertThat(page.text(".crumbs")).isEqualTo("all keys/orders/2026/12");
  }

  @Test
  void pagesLargeBranchesAndLists() throws Exception {
    shop();
    login();
    explorer.choose("products");
    page.until("document.querySelectorAll('.tree li[aria-level=\"2\"]').length === 101");
    page.click(".tree .more .node");
    page.until("document.querySelectorAll('.tree li[aria-level=\"2\"]').length === 201");
    explorer.untilRow("100");
    page.click(".pager button[title='Next page']");
    explorer.untilRow("101");
    page.untilText(".where", "101 – 200");
    page.click(".pager button[title^=Count]");
    page.untilText(".where", "of 1,234");
    page.click(".pager button[title='Last page']");
    explorer.untilRow("1234");
    page.click(".pager button[title='Previous page']");
    explorer.untilRow("1134");
    explorer.untilRows(100);
    page.click(".pager button[title='Next page']");
    explorer.untilRow("1135");
    page.click(".pager button[title='First page']");
    explorer.untilRow("1");
    assertThat(page.eval("document.querySelectorAll('.entries tbody tr').length").asInt())
        .isEqualTo(100);
  }

  @Test
  void jumpsToKeysAndPrefixes() throws Exception {
    shop();
    login();
    explorer.jump("products/1100");
    explorer.untilOpen();
    explorer.untilRow("1100");
    page.until(
        "document.querySelector('.entries tr[aria-selected=true]')?.querySelector('.c-key').textContent === '1100'");
    page.until(
        """
        (() => {
          const node = document.querySelector('.tree [aria-selected=true] > .node')?.getBoundingClientRect();
          const pane = document.querySelector('.side').getBoundingClientRect();
          return node && node.top >= pane.top && node.bottom <= pane.bottom;
        })()""");
    assertThat(explorer.tree()).contains("1100", "1101").doesNotContain("1");
    page.click(".pager button[title='Previous page']");
    explorer.untilRow("1099");
    page.click(".tree .more .node"); // from the first
    explorer.untilNodes("1", "2");
    explorer.jump("[\"counters\", \"visits\"]");
    page.untilText(".key-title", "visits");
    page.until("document.querySelector('.editor-kind select').value === 'u64'");
    assertThat(explorer.value()).isEqualTo("1284311");
    explorer.jump("orders/2026/12/1000000087109n");
    page.untilText(".key-title", "1000000087109");
    explorer.untilRow("1000000087109n");
    explorer.jump("sessions 0x5eed00019919");
    page.untilText(".key-title", "$bytes");
    assertThat(page.eval("JSON.parse(new URLSearchParams(location.hash.slice(1)).get('prefix'))"))
        .hasToString("[\"sessions\"]");
    page.open(server.uri("/").toString() + "?#" + page.eval("location.hash.slice(1)").asText());
    page.untilText(".key-title", "$bytes"); // the address remembers
    explorer.jump("nothing here");
    page.untilText(".empty", "There is nothing below this prefix.");
  }

  @Test
  void findsWhatBeginsWithATextAndCompletesIt() throws Exception {
    shop();
    login();
    explorer.jump("us");
    explorer.untilRow("users_by_email / ada@example.org");
    explorer.untilNoRow("products / 1");
    assertThat(page.eval("document.querySelector('.filter').value").asText()).isEqualTo("us");
    explorer.jump("products");
    explorer.untilRow("1");
    page.press("f");
    page.until("document.activeElement.matches('.filter')");
    page.type("200..399");
    page.press("Enter");
    explorer.untilRow("200");
    page.click(".pager button[title='Last page']");
    explorer.untilRow("399");
    explorer.untilRows(100);
    page.click(".pager button[title^=Count]");
    page.untilText(".where", "of 200");
    page.fill(".filter", "1230..");
    page.press("Enter");
    explorer.untilRows(5);
    page.fill(".filter", "12");
    page.press("Enter");
    explorer.untilRows(1);
    page.fill(".filter", "x");
    page.press("Enter");
    page.untilText(".empty", "the filter “x”");
    page.press("Escape");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.fill("#jump input", "users");
    page.untilVisible("#jump [role=option]"); // its options are gone when it is closed
    page.press("Enter");
    explorer.untilRow("ada");
    page.fill(".filter", "g..hedy");
    page.press("Enter");
    explorer.untilRows(2);
    assertThat(explorer.keys()).containsExactly("grace", "hedy");
    page.press("Escape");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("us");
    page.until("document.querySelectorAll('#jump [role=option]').length === 2");
    page.press("ArrowDown");
    page.press("Enter");
    page.until("document.querySelector('#jump input').value === 'users/'");
    page.type("gr");
    page.untilText("#jump [role=option]", "grace");
    page.press("Tab");
    page.press("Enter");
    page.untilText(".key-title", "grace");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("products/12");
    page.untilText("#jump [role=option]", "12");
    page.press("Escape");
    page.until("!document.querySelector('#jump [role=listbox]').checkVisibility()");
  }

  /** The field of the token keeps the focus until the next frame, which a busy machine delays. */
  @Test
  void hearsKeysAtOnceAfterSigningIn() {
    page.open(server.uri("/").toString());
    page.untilVisible("#token");
    page.eval(
        """
        document.getElementById('login').close = function () {
          HTMLDialogElement.prototype.close.call(this);
          const key = new KeyboardEvent('keydown', { key: '/', bubbles: true });
          document.activeElement.dispatchEvent(key);
          globalThis.heard = Boolean(document.activeElement.closest('#jump'));
        }\
        """);
    explorer.signIn(TestServer.TOKEN);
    assertThat(page.eval("heard").asBoolean()).isTrue();
  }

  @Test
  void changesTheKindOfATypedPart() throws Exception {
    put("[\"n\",\"12\"]", "\"text\"");
    put("[\"n\",{\"$bigint\":\"12\"}]", "\"big\"");
    login();
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("n/12");
    page.untilText("#jump .chips", "12number");
    page.click("#jump .chip:nth-child(2)");
    page.untilText("#jump .chips", "12bigint");
    page.eval("document.querySelector('#jump input').focus()");
    page.press("Enter");
    explorer.untilOpen();
    assertThat(explorer.value()).isEqualTo("big");
  }

  @Test
  void hasADatabaseSwitcher() throws Exception {
    server.send(
        "PUT",
        "/db/other/api/v1/entry?key=%5B%22there%22%5D",
        "1",
        request -> request.setHeader("Content-Type", "application/json"));
    put("[\"here\"]", "1");
    login();
    explorer.untilRow("here");
    page.choose("#database", "other");
    explorer.untilRow("there");
    explorer.untilNoRow("here");
    assertThat(page.eval("location.hash").asText()).isEqualTo("#db=other");
    page.open(server.uri("/db/default/").toString());
    explorer.untilRow("here");
  }

  @Test
  void reconnectsAfterARestartOfTheServer() throws Exception {
    server.close(); // a key that returns at its former position
    ServerOptions options = ServerOptions.inMemory().withAddress("127.0.0.1", Ports.free());
    server = TestServer.start(vertx, options);
    put("[\"before\"]", "1");
    login();
    explorer.untilRow("before");
    server.close();
    page.press("r");
    page.untilText("#banner", "cannot be reached");
    server = TestServer.start(vertx, options);
    put("[\"after\"]", "1");
    explorer.untilRow("after");
    page.until("document.getElementById('banner').hidden");
  }

  @Test
  void showsHostileKeysAndValuesAsText() throws Exception {
    String evil = "<img src=x onerror=document.hacked=1><script>document.hacked=1</script>";
    put("[\"" + evil + "\",\"" + evil + "\"]", "{\"__proto__\":\"" + evil + "\"}");
    put("[\"" + evil + "\"]", "\"" + evil + "\"");
    put("[\"[x\",\"\"]", "\"looks like JSON\"");
    login();
    explorer.choose("[x");
    explorer.untilRow("\"\"");
    explorer.tab("live");
    page.untilText(".live tbody", "looks like JSON");
    explorer.tab("data");
    page.click(".crumbs a");
    explorer.untilRow(evil);
    explorer.allowEdits();
    explorer.choose(evil);
    explorer.untilOpen();
    assertThat(explorer.value()).isEqualTo(evil);
    explorer.untilRow(evil);
    explorer.open(evil);
    page.untilText(".key-title", evil + "\",\"" + evil);
    assertThat(explorer.value()).contains("__proto__", evil);
    page.click(".editor .danger");
    page.untilVisible(".ask");
    page.press("Escape");
    explorer.tab("live");
    page.untilText(".live tbody", evil);
    explorer.tab("transfer");
    server.post("/api/v1/enqueue", "{\"value\":1,\"queue\":\"<img src=x onerror=alert(1)>\"}");
    explorer.tab("queues");
    page.untilText(".queues tbody", "onerror");
    assertThat(page.eval("document.hacked ?? document.querySelectorAll('img[src=x]').length"))
        .hasToString("0");
  }

  @Test
  void supportsLightAndDarkSchemes() {
    page.prefers("dark");
    login();
    String dark = "rgb(20, 22, 26)";
    String background = "getComputedStyle(document.body).backgroundColor";
    assertThat(page.eval(background).asText()).isEqualTo(dark);
    page.click("#theme");
    assertThat(page.eval(background).asText()).isNotEqualTo(dark);
    page.open(server.uri("/") + "?again");
    page.untilVisible("#theme");
    assertThat(page.eval(background).asText()).isNotEqualTo(dark);
    page.click("#theme");
    assertThat(page.eval(background).asText()).isEqualTo(dark);
  }

  @Test
  void isUsableByKeyboardAlone() throws Exception {
    put("[\"users\",\"ada\"]", "\"Ada\"");
    put("[\"users\",\"alan\"]", "\"Alan\"");
    login();
    explorer.untilRow("users / ada");
    page.press("?");
    page.until("document.getElementById('help').open");
    page.press("Escape");
    page.until("!document.getElementById('help').open");
    explorer.untilTree("users");
    page.press("t");
    page.press("Enter"); // opens the branch and selects the node
    explorer.untilRow("ada");
    page.until("document.querySelectorAll('.tree li').length === 3");
    page.press("ArrowDown");
    page.press("Enter");
    explorer.untilOpen();
    assertThat(explorer.value()).isEqualTo("Ada");
    page.press("l");
    page.press("ArrowDown");
    page.press("Enter");
    page.until("document.querySelector('.editor textarea').value === 'Alan'");
    page.press("e");
    explorer.untilToast("Read-only");
    page.eval("document.getElementById('edits').focus()");
    page.press(" ");
    page.until("document.body.classList.contains('editing')");
    page.press("e");
    page.until("document.activeElement.matches('.editor textarea')");
    page.press("End");
    page.type(" Turing");
    explorer.save();
    explorer.untilToast("Saved.");
    assertThat(stored("[\"users\",\"alan\"]")).contains("\"Alan Turing\"");
    page.press("Escape");
    page.press("Escape");
    page.until("!document.querySelector('.editor').checkVisibility()");
    page.press("4");
    page.untilVisible(".live");
    page.press("6");
    page.untilVisible(".stats");
    assertThat(List.of(page.eval("location.hash").asText())).first().asString().contains("stats");
  }
}
