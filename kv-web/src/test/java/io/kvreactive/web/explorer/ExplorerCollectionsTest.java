package io.kvreactive.web.explorer;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Collections and queries in a browser. */
class ExplorerCollectionsTest extends ChromiumTest {
  private static final int PEOPLE = 45;

  @BeforeEach
  void fill() throws Exception {
    assertThat(send("PUT", "/api/v1/collections/people", "{}")).isEqualTo(201);
    assertThat(send("PUT", "/api/v1/collections/orders", "{}")).isEqualTo(201);
    load("people", IntStream.range(0, PEOPLE).mapToObj(ExplorerCollectionsTest::person));
  }

  private static String person(int i) {
    return "{\"id\":\"p%03d\",\"name\":\"Person %d\",\"city\":\"%s\",\"age\":%d,\"tags\":[\"a\",%d]}"
        .formatted(i, i, i % 3 == 0 ? "Oslo" : "Rome", 20 + i % 50, i);
  }

  private void query(String sql) {
    page.fill("[aria-label=Query]", sql);
    page.click(".ask-query .main");
  }

  private void untilRows(int rows) {
    page.until("document.querySelectorAll('table.rows tbody tr').length === " + rows);
  }

  private void definition() {
    page.clickElement(
        "[...document.querySelectorAll('.parts button')].find(b => b.textContent ==="
            + " 'Definition')");
  }

  private void enterQuery() {
    explorer.tab("query");
    page.until("document.querySelector('.query select').options.length >= 2");
    page.choose(".query select", "people");
  }

  @Test
  void changesDefinitions() throws Exception {
    login();
    explorer.tab("collections");
    page.untilText(".names", "people");
    explorer.allowEdits();
    page.clickElement(
        "[...document.querySelectorAll('.names button')].find(b => b.textContent === 'people')");
    page.untilText(".definition h2", "people");
    definition();
    String policy =
        "{\"indexingPolicy\":{\"includedPaths\":[{\"path\":\"/*\"}],\"excludedPaths\":[],"
            + "\"compositeIndexes\":[[{\"path\":\"/city\"},{\"path\":\"/age\"}]]}}";
    page.fill("[aria-label='Definition as JSON']", policy);
    page.click(".definition .main");
    page.untilText(".definition", "Definition 2; all indexes are complete");
    page.clickElement(
        "[...document.querySelectorAll('.definition button')].find(b => b.textContent === 'Count"
            + " sizes')");
    page.untilText(".sizes", "composite#1 /city ascending /age ascending");
    page.until(
        "document.querySelector('[aria-label=\"Definition as"
            + " JSON\"]').value.includes('ascending')");
    page.fill(
        "[aria-label='Definition as JSON']", "{\"indexingPolicy\":{\"indexingMode\":\"fast\"}}");
    page.click(".definition .main");
    page.untilText(".definition .error", "indexingMode");
    page.fill("[aria-label='Definition as JSON']", "{");
    page.until("document.querySelector('.definition .main').disabled");
  }

  @Test
  void definesCollectionsByAForm() throws Exception {
    login();
    explorer.allowEdits();
    explorer.tab("collections");
    page.untilText(".item-rows + .empty", "no items");
    page.clickElement(
        "[...document.querySelectorAll('button')].find(b => b.textContent === '+ New collection')");
    page.fill("[aria-label=Name]", "made");
    page.fill("#definition-0", "/tenant, user");
    page.fill("#definition-1", "/mail\n/a, /b");
    page.fill("#definition-2", "3600");
    page.fill("#definition-4", "/bio/*");
    page.fill("#definition-5", "/city, /age DESC");
    page.click(".definition .main");
    explorer.untilToast("Created.");
    assertThat(server.get("/api/v1/collections/made").body())
        .contains("[\"/tenant\",\"/user\"]", "[\"/a\",\"/b\"]", "\"defaultTtl\":3600", "/bio/*")
        .contains("{\"path\":\"/age\",\"order\":\"descending\"}");
    page.until("document.getElementById('definition-0').readOnly");
    page.fill("[aria-label='Definition as JSON']", "{\"defaultTtl\": 7}");
    page.until("document.getElementById('definition-2').value === '7'");
  }

  @Test
  void pagesRowsAndMarksErrors() throws Exception {
    login();
    enterQuery();
    query("SELECT * FROM c WHERE c.age > @age ORDER BY c.age");
    page.untilText(".query-problem", "@age");
    page.fill("[aria-label='Parameters as JSON']", "{\"age\": 0}");
    page.choose("[aria-label='Rows a page']", "20");
    page.click(".ask-query .main");
    untilRows(20);
    page.click(".query > button");
    untilRows(40);
    page.click(".query > button");
    untilRows(PEOPLE);
    page.fill("[aria-label=Query]", "SELECT * FROM c WHERE d.age = 1");
    page.pressControl("Enter");
    page.until("document.querySelector('.query-problem mark')?.textContent === 'd'");
    assertThat(page.text(".query-problem")).contains("d");
  }

  @Test
  void showsDistancesWithBarsAndDrawsShapes() throws Exception {
    String geometry = "{\"geospatialConfig\": {\"type\": \"Geometry\"}}";
    assertThat(send("PUT", "/api/v1/collections/halls", geometry)).isEqualTo(201);
    String hall =
        "{\"id\": \"h\", \"area\": {\"type\": \"Polygon\", \"coordinates\":"
            + " [[[0, 0], [1000, 0], [1000, 1000], [0, 1000], [0, 0]]]}}";
    assertThat(send("POST", "/api/v1/collections/halls/items", hall)).isEqualTo(201);
    login();
    enterQuery();
    query(
        "SELECT TOP 3 c.id, ST_DISTANCE({'type': 'Point', 'coordinates': [c.age, 0]},"
            + " {'type': 'Point', 'coordinates': [0, 0]}) AS metres FROM c ORDER BY c.age");
    page.until("document.querySelectorAll('table.rows td.score rect').length === 3");
    page.until("document.querySelector('td.score').textContent.trim() === '2226390'");
    query(
        "SELECT TOP 20 c.id, {'type': 'Point', 'coordinates': [c.age, c.age / 2]} AS at,"
            + " [{'type': 'Polygon', 'coordinates': [[[0, 0], [9, 0], [9, 9], [0, 0]]]}] AS areas"
            + " FROM c");
    untilRows(20);
    page.choose("[aria-label='Show rows as']", "map");
    page.until("document.querySelectorAll('.map circle').length === 20");
    page.until("document.querySelectorAll('.map path').length === 20");
    page.until("document.querySelectorAll('.map line').length >= 4");
    query("SELECT c.id FROM c");
    page.untilText(".query .empty", "No row has a shape");
    query( // across the date line, in one piece
        "SELECT TOP 3 c.id, {'type': 'Point', 'coordinates': [c.age - 199, -17]} AS at,"
            + " {'type': 'Polygon', 'coordinates':"
            + " [[[177, -19], [-178, -19], [-178, -16], [177, -16], [177, -19]]]} AS area"
            + " FROM c ORDER BY c.age");
    page.until("document.querySelectorAll('.map path').length === 3");
    page.until(size("w > 1.2 * h && w < 2.5 * h")); // 5 degrees of longitude, 3 of latitude
    page.until(label("178°") + " && " + label("180°") + " && " + label("-179°"));
    query(
        "SELECT TOP 1 {'type': 'Polygon', 'coordinates':"
            + " [[[0, 70], [120, 70], [-120, 70], [0, 70]]]} AS area FROM c");
    page.until(size("h > 0.8 * w")); // the area has the pole
    page.choose(".query select", "halls");
    query("SELECT * FROM c"); // shapes of a plane, in its coordinates
    page.until(label("800") + " && !document.querySelector('.map').textContent.includes('°')");
    page.until(size("Math.abs(w - h) < 1"));
    assertThat(page.eval("document.querySelectorAll('.map path').length").asInt()).isEqualTo(1);
  }

  /** Returns a condition on the width {@code w} and height {@code h} of the map. */
  private static String size(String condition) {
    return "(({width: w, height: h}) => %s)(document.querySelector('.map svg').viewBox.baseVal)"
        .formatted(condition);
  }

  /** Returns the condition that a line of the map has a label. */
  private static String label(String text) {
    return "[...document.querySelectorAll('.map text')].some(one => one.textContent === '%s')"
        .formatted(text);
  }

  @Test
  void drawsVectorsOfRowsAndShowsScores() throws Exception {
    login();
    enterQuery();
    page.fill("[aria-label='Parameters as JSON']", "{\"q\": [30, 1, 2, 3]}");
    query(
        "SELECT TOP 20 c.id, c.name, VectorDistance(c.v, @q) AS score, c.v"
            + " FROM (SELECT p.id, p.name, [p.age, p.age % 3, p.age % 7, 3] AS v FROM p) AS c"
            + " ORDER BY VectorDistance(c.v, @q)");
    page.until("document.querySelectorAll('table.rows td.score rect').length === 20");
    page.until("/^0\\.99\\d\\d /.test(document.querySelector('td.score').textContent)");
    page.choose("[aria-label='Show rows as']", "vectors");
    page.until("document.querySelectorAll('.vectors circle').length === 20");
    page.until("document.querySelector('.vectors .asked text').textContent === '@q'");
    page.until("document.querySelectorAll('.vectors > svg > text').length >= 2");
    page.untilText(".vectors", "20 vectors of 4 numbers; these two dimensions have");
    page.until("document.querySelector('.vectors title').textContent.includes(', score 0.9')");
    query("SELECT TOP 5 c.id, [c.age, 1] AS v FROM c");
    page.untilText(".vectors", "5 vectors of 2 numbers; these two dimensions have 100 %");
    query("SELECT c.id FROM c");
    page.untilText(".query .empty", "No row has a vector");
    page.choose("[aria-label='Show rows as']", "table");
    query("SELECT TOP 3 VectorDistance([c.age, 1, 2, 3], @q), c.id FROM c");
    page.until("document.querySelectorAll('table.rows td.score rect').length === 3");
    page.fill("[aria-label=Query]", "SELECT * FROM c ORDER BY VectorDistance(c.v, @q)");
    page.clickElement(
        "[...document.querySelectorAll('.query button')].find(b => b.textContent === 'Explain')");
    page.untilText(".plan", "VectorDistance without TOP or LIMIT");
  }

  @Test
  void opensSortsAndSavesRows() throws Exception {
    login();
    enterQuery();
    page.choose("[aria-label='Rows a page']", "20");
    query("SELECT c.id, c.age, c.name FROM c WHERE c.city = 'Rome'");
    untilRows(20);
    page.clickElement("document.querySelectorAll('button.sort')[1]");
    page.until("document.querySelector('th[aria-sort=ascending]')?.textContent.startsWith('age')");
    page.clickElement("document.querySelectorAll('button.sort')[1]");
    page.until("document.querySelector('table.rows tbody tr').cells[1].textContent === '49'");
    page.choose("[aria-label='Save all rows']", "csv");
    explorer.untilToast("Saved 30 rows");
    Path csv = downloads.resolve("people.csv");
    Page.untilThere(csv);
    assertThat(java.nio.file.Files.readAllLines(csv)).hasSize(31).contains("id,age,name");
    page.choose("[aria-label='Save all rows']", "json");
    Path json = downloads.resolve("people.json");
    Page.untilThere(json);
    assertThat(java.nio.file.Files.readString(json)).startsWith("[\n{\"id\":");
    page.clickElement("document.querySelector('table.rows button.link')");
    page.untilText("dialog.item .key-title", "p");
    page.press("Escape");
    page.until("!document.querySelector('dialog.item')");
    assertThat(page.text(".query details")).contains("on this page", "loaded");
  }

  @Test
  void remembersAndCompletesQueries() {
    login();
    enterQuery();
    query("SELECT VALUE 1");
    page.untilText("pre.rows", "1");
    page.fill("[aria-label=Query]", "SELECT * FROM c WHERE c.ci");
    page.untilText(".query [role=option]", "city");
    page.press("Tab");
    page.type(" = 'Oslo' ord");
    page.untilText(".query [role=option]", "ORDER");
    page.press("Escape");
    assertThat(page.eval("document.querySelector('[aria-label=Query]').value").asText())
        .isEqualTo("SELECT * FROM c WHERE c.city = 'Oslo' ord");
    page.choose("[aria-label=History]", "0");
    page.until("document.querySelector('[aria-label=Query]').value === 'SELECT VALUE 1'");
  }

  @Test
  void cancelsQueries() throws Exception {
    String numbers = IntStream.range(0, 2000).mapToObj(String::valueOf).collect(joining(","));
    String item = "{\"id\":\"x\",\"n\":[" + numbers + "]}";
    assertThat(server.post("/api/v1/collections/people/items", item).statusCode()).isEqualTo(201);
    login();
    enterQuery();
    query("SELECT VALUE COUNT(1) FROM c JOIN a IN c.n JOIN b IN c.n JOIN d IN c.n WHERE a + b < d");
    page.clickElement(
        "[...document.querySelectorAll('.query button')].find(b => b.textContent === 'Cancel')");
    page.untilText(".query > .bar", "Cancelled.");
    page.untilVisible(".ask-query .main");
  }

  @Test
  void addsASuggestedIndex() throws Exception {
    login();
    explorer.allowEdits();
    enterQuery();
    page.fill("[aria-label=Query]", "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 30");
    page.clickElement(
        "[...document.querySelectorAll('.query button')].find(b => b.textContent === 'Explain')");
    page.untilText(".plan", "Indexes that would help");
    page.clickElement(
        "[...document.querySelectorAll('.plan button')].find(b => b.textContent === 'Add to the"
            + " policy')");
    explorer.untilToast("Added");
    explorer.untilToast("The index is complete.");
    page.untilText(".plan-tree", "/city");
    page.until("!document.querySelector('.plan').textContent.includes('Add to the policy')");
    assertThat(server.get("/api/v1/collections/people").body()).contains("\"/city\"", "\"/age\"");
  }

  @Test
  void addsTheIndexThatAnOrderLacks() throws Exception {
    assertThat(
            send(
                "PUT",
                "/api/v1/collections/people",
                "{\"indexingPolicy\":{\"includedPaths\":[{\"path\":\"/*\"}],\"excludedPaths\":[{\"path\":\"/age/?\"}]}}"))
        .isEqualTo(200);
    login();
    enterQuery();
    query("SELECT c.id FROM c ORDER BY c.age");
    page.untilText(".query-problem", "include \"/age/?\"");
    assertThat(page.text(".query-problem")).contains("Missing index: /age/?", "Allow edits");
    assertThat(page.visible(".query-problem button")).isFalse();
    explorer.allowEdits();
    page.click(".query-problem button");
    explorer.untilToast("The index is complete.");
    untilRows(PEOPLE); // ran again
    query("SELECT c.id FROM c ORDER BY c.city, c.age DESC");
    page.untilText(".query-problem", "Missing index: /city ASC, /age DESC");
    page.click(".query-problem button");
    explorer.untilToast("The index is complete.");
    page.until(
        "document.querySelectorAll('table.rows tbody tr').length === "
            + PEOPLE
            + " && !document.querySelector('.query-problem').checkVisibility()");
    assertThat(server.get("/api/v1/collections/people").body())
        .contains("{\"path\":\"/age/?\"}", "{\"path\":\"/age\",\"order\":\"descending\"}")
        .contains("\"excludedPaths\":[]");
  }
}
