package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.Intake;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Call;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Import: entries as lines of JSON, stored as they come. */
final class ImportRoutes {
  private static final long TOLD_EACH_MILLIS = 1000;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final Intake intake;
  private final int maxLineBytes;

  private ImportRoutes(Intake intake, int maxLineBytes) {
    this.intake = intake;
    this.maxLineBytes = maxLineBytes;
  }

  static void mount(Routes routes, Site site) {
    ImportRoutes imports = new ImportRoutes(site.intake(), site.options().maxBodyBytes());
    routes.streamed(HttpMethod.POST, "/import", imports::load, Replies.NDJSON);
  }

  private void load(RoutingContext context) {
    var unused = Query.of(context);
    Call call = Call.of(context);
    Ranges.requireAll(call.grant(), Access.WRITE);
    if ("100-continue".equalsIgnoreCase(context.request().getHeader("Expect"))) {
      context.response().writeContinue();
    }
    ByteBudget.Share share = intake.bodies().share();
    context.addEndHandler(ended -> share.release());
    Flux<String> lines =
        new RequestLines(context.request(), maxLineBytes, share)
            .doOnNext(ImportKeys.check(call.grant()));
    Flux<LoadProgress> load = call.makes() ? first(call, lines) : call.kv().importLines(lines);
    ProgressLines.answer(context, new Told().of(load));
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
      var unused = KvJson.parse(line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line);
    } catch (KvException e) {
      throw new KvException(e.code(), "line 1: " + e.detail(), e);
    }
  }

  /** Progress once a second and at the end: a caller that is sending may not be reading. */
  private static final class Told {
    private @Nullable LoadProgress last;
    private long told;

    Flux<ObjectNode> of(Flux<LoadProgress> load) {
      return load.doOnNext(progress -> last = progress)
          .filter(progress -> isDue(progress.elapsed().toMillis()))
          .map(progress -> line(progress, false))
          .onBackpressureLatest()
          .concatWith(Flux.defer(() -> Flux.just(line(last, true))));
    }

    private boolean isDue(long elapsed) {
      boolean due = elapsed - told >= TOLD_EACH_MILLIS;
      told = due ? elapsed : told;
      return due;
    }
  }

  private static ObjectNode line(@Nullable LoadProgress progress, boolean done) {
    ObjectNode line = Json.object().put("done", done);
    if (progress == null) {
      return line.put("entries", 0).put("bytes", 0).put("elapsedMs", 0);
    }
    return line.put("entries", progress.entries())
        .put("bytes", progress.bytes())
        .put("elapsedMs", progress.elapsed().toMillis())
        .put("versionstamp", progress.versionstamp().toString());
  }
}
