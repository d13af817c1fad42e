package io.kvreactive.bench.web;

/**
 * A request of the REST interface that is repeated, each time with another number in place of
 * {@code {n}}.
 */
enum RestScenario {
  ENTRY_SET("entry set", "PUT", "/entry?key=[\"k\",{n}]", Text.VALUE, 200),
  ENTRY_GET("entry get", "GET", "/entry?key=[\"k\",{n}]", "", 200),
  ITEM_CREATE("document create", "POST", "/collections/people/items", Text.ITEM, 201),
  ITEM_READ("document read", "GET", "/collections/people/items/i{n}", "", 200),
  POINT_QUERY("point query", "POST", "/collections/people/query", Text.QUERY, 200);

  /** Number of entries and items that exist before the measurement. */
  static final int LOADED = 10_000;

  final String title;
  final String method;
  final int status;
  private final String path;
  private final String body;

  RestScenario(String title, String method, String path, String body, int status) {
    this.title = title;
    this.method = method;
    this.path = "/api/v1" + path.replace("[", "%5B").replace("]", "%5D").replace("\"", "%22");
    this.body = body;
    this.status = status;
  }

  /** Returns true if each request requires an unused number. */
  boolean isCreating() {
    return this == ITEM_CREATE;
  }

  /** Returns true if the Java client of collections has the request. */
  boolean isOfDocuments() {
    return this == ITEM_CREATE || this == ITEM_READ || this == POINT_QUERY;
  }

  String path(long number) {
    return at(path, number);
  }

  String body(long number) {
    return at(body, number);
  }

  private static String at(String text, long number) {
    return text.replace("{n}", Long.toString(number));
  }

  /**
   * Returns a script for wrk that sends the requests.
   *
   * @param first the number before the first one, for requests that require unused numbers
   */
  String wrkScript(String token, long first) {
    return """
    local n = FIRST
    local headers = { ["Authorization"] = "Bearer TOKEN", ["Content-Type"] = "application/json" }
    request = function()
      n = n + 1
      local number = string.format("%d", NUMBER)
      local path = string.gsub([[PATH]], "{n}", number)
      local body = string.gsub([[BODY]], "{n}", number)
      return wrk.format("METHOD", path, headers, body)
    end
    """
        .replace("FIRST", Long.toString(first))
        .replace("NUMBER", isCreating() ? "n" : "n % " + LOADED)
        .replace("TOKEN", token)
        .replace("METHOD", method)
        .replace("PATH", path)
        .replace("BODY", body);
  }

  private static final class Text {
    static final String VALUE =
        "{\"n\":{n},\"name\":\"somebody with a name\",\"city\":\"Oslo\",\"text\":\"up to a hundred"
            + " bytes\"}";
    static final String ITEM =
        "{\"id\":\"i{n}\",\"name\":\"name {n}\",\"city\":\"Oslo\",\"age\":40,\"text\":\"up to a"
            + " hundred bytes\"}";
    static final String QUERY =
        "{\"query\":\"SELECT * FROM c WHERE c.name = @name\","
            + "\"parameters\":[{\"name\":\"@name\",\"value\":\"name {n}\"}]}";

    private Text() {}
  }
}
