package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.DeleteProgress;
import io.kvreactive.web.internal.rest.ProgressLines;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Lines of JSON of the progress of deletes, about one a second and a last one. */
public final class DeleteProgressJson {
  private DeleteProgressJson() {}

  /** Answers a request with the lines. The answer begins with the first deleted items. */
  static void answer(RoutingContext context, Flux<DeleteProgress> deletes) {
    ProgressLines.answer(context, lines(ProgressLines.beginning(context, deletes)));
  }

  /** Returns the lines of a delete; the last one has {@code "done":true}. */
  public static Flux<ObjectNode> lines(Flux<DeleteProgress> deletes) {
    return ProgressLines.seconds(deletes, DeleteProgress::elapsed, DeleteProgressJson::line);
  }

  private static ObjectNode line(@Nullable DeleteProgress progress, boolean done) {
    ObjectNode line = StrictJson.object().put("done", done);
    if (progress == null) {
      return line.put("deleted", 0).put("changed", 0).put("elapsedMs", 0);
    }
    line.put("deleted", progress.deleted())
        .put("changed", progress.changed())
        .put("elapsedMs", progress.elapsed().toMillis());
    if (progress.versionstamp() != null) {
      line.put("versionstamp", progress.versionstamp().toString());
    }
    return line;
  }
}
