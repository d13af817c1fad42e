package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.json.TreeBytes;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Flux;

/** Import: entries as lines of JSON, stored as they come. */
final class ImportRoutes {
  private final Routes routes;

  private ImportRoutes(Routes routes) {
    this.routes = routes;
  }

  static void mount(Routes routes) {
    ImportRoutes imports = new ImportRoutes(routes);
    routes.streamed(Operation.IMPORT, imports::load, Replies.NDJSON);
  }

  private void load(RoutingContext context) {
    var unused = Query.of(context);
    Call call = Call.of(context);
    Upload upload = routes.upload(context);
    Flux<String> lines =
        upload
            .lines()
            .doOnNext(line -> takeTree(upload.trees(), line))
            .doOnNext(ImportKeys.check(call.grant()));
    Flux<LoadProgress> load = call.makes() ? first(call, lines) : call.kv().importLines(lines);
    Upload.answer(context, "entries", load);
  }

  /** Takes memory for the largest line so far: lines are parsed one after the other. */
  private static void takeTree(ByteBudget.Share trees, String line) {
    long more = TreeBytes.of(line) - trees.taken();
    if (more > 0) {
      trees.take(more);
    }
  }

  /** Into a database that is made when the first line makes sense. */
  private static Flux<LoadProgress> first(Call call, Flux<String> lines) {
    return lines.switchOnFirst(
        (first, all) -> {
          String line = first.get();
          if (line != null && !line.isBlank()) {
            requireEntry(line);
          }
          return call.made().flatMapMany(made -> call.kv().importLines(all));
        });
  }

  private static void requireEntry(String line) {
    try {
      var unused = KvJson.parse(LineText.withoutMark(line));
    } catch (KvException e) {
      throw new KvException(e.code(), "line 1: " + e.detail(), e);
    }
  }
}
