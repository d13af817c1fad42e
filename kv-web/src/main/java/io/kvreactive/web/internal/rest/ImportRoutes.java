package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.JsonTreeSize;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/** The route that imports entries from lines of JSON as they arrive. */
final class ImportRoutes {
  private ImportRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.streamed(Operation.IMPORT, ImportRoutes::load);
  }

  private static void load(RoutingContext context, Supplier<LineUpload> body) {
    var unused = QueryParams.of(context);
    RequestContext requestContext = RequestContext.of(context);
    LineUpload upload = body.get();
    Flux<String> lines =
        upload
            .lines()
            .doOnNext(line -> takeTree(upload.trees(), line))
            .doOnNext(ImportAuthorization.check(requestContext.grant()));
    Flux<LoadProgress> load =
        requestContext.createsDatabase()
            ? first(requestContext, lines)
            : requestContext.kv().admin().importLines(lines);
    LineUpload.answer(context, "entries", load);
  }

  /** Charges the memory of the largest line so far. Lines are parsed one after the other. */
  private static void takeTree(ByteBudget.Share trees, String line) {
    long more = JsonTreeSize.of(line) - trees.taken();
    if (more > 0) {
      trees.take(more);
    }
  }

  /** Imports lines into a database that is created after the first line was validated. */
  private static Flux<LoadProgress> first(RequestContext requestContext, Flux<String> lines) {
    return lines.switchOnFirst(
        (first, all) -> {
          String line = first.get();
          if (line != null && !line.isBlank()) {
            requireEntry(line);
          }
          return requestContext
              .createdDatabase()
              .flatMapMany(created -> requestContext.kv().admin().importLines(all));
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
