package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.LineUpload;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.QueryParams;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The route that loads items from lines of JSON as they arrive. */
final class LoadRoutes {
  private final OperationRoutes routes;

  private LoadRoutes(OperationRoutes routes) {
    this.routes = routes;
  }

  static void mount(OperationRoutes routes) {
    LoadRoutes loads = new LoadRoutes(routes);
    routes.streamed(Operation.LOAD_ITEMS, loads::load);
  }

  private void load(RoutingContext context) {
    var unused = QueryParams.of(context);
    DocumentStore documents = RequestContext.of(context).documents();
    String name = CollectionParams.name(context);
    DocumentCollection<ObjectNode> items = documents.collection(name, ObjectNode.class);
    LineUpload upload = routes.upload(context);
    Flux<LoadProgress> load =
        documents
            .describe(name) // fails early if the collection does not exist, even without lines
            .switchIfEmpty(Mono.error(() -> CollectionRoutes.absent(name)))
            .doOnError(e -> upload.discard())
            .flatMapMany(
                ignored -> ItemLines.load(items, upload.lines(), upload.share(), upload.trees()));
    LineUpload.answer(context, "items", load);
  }
}
