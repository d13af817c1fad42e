package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadProgress;
import io.kvreactive.index.Collection;
import io.kvreactive.index.KvIndex;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Replies;
import io.kvreactive.web.internal.rest.Routes;
import io.kvreactive.web.internal.rest.Upload;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Many items as lines of JSON, stored as they come. */
final class LoadRoutes {
  private final Routes routes;

  private LoadRoutes(Routes routes) {
    this.routes = routes;
  }

  static void mount(Routes routes) {
    LoadRoutes loads = new LoadRoutes(routes);
    routes.streamed(Operation.LOAD_ITEMS, loads::load, Replies.NDJSON);
  }

  private void load(RoutingContext context) {
    var unused = Query.of(context);
    KvIndex index = Call.of(context).index();
    String name = Asked.name(context);
    Collection<ObjectNode> items = index.collection(name, ObjectNode.class);
    Upload upload = routes.upload(context);
    Flux<LoadProgress> load =
        index
            .describe(name) // also when there is no line
            .switchIfEmpty(Mono.error(() -> CollectionRoutes.absent(name)))
            .doOnError(e -> upload.discard())
            .flatMapMany(
                there -> ItemLines.load(items, upload.lines(), upload.share(), upload.trees()));
    Upload.answer(context, "items", load);
  }
}
