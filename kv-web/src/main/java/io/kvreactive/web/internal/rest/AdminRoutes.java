package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.BackupProgress;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Audited;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.WebErrorCode;
import io.kvreactive.web.internal.http.WebException;
import io.vertx.ext.web.RoutingContext;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What operators do with a store while it goes on: backup, compact, verify. */
final class AdminRoutes {
  /** No dots in front, so neither {@code ..} nor a root: always below the directory. */
  private static final Pattern PATH =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,7}");

  private final Site site;

  private AdminRoutes(Site site) {
    this.site = site;
  }

  static void mount(Routes routes, Site site) {
    AdminRoutes admin = new AdminRoutes(site);
    routes.body(Operation.BACK_UP, AdminRoutes::path, admin::backup, Replies.JSON);
    routes.plain(Operation.COMPACT, AdminRoutes::compact);
    routes.plain(Operation.VERIFY, AdminRoutes::verify);
  }

  private static Call call(RoutingContext context) {
    var unused = Query.of(context);
    return Call.of(context);
  }

  private static String path(RoutingContext context) {
    var unused = call(context);
    return Fields.of(Routes.json(context), "body", "path").text("path");
  }

  private void backup(RoutingContext context, String path) {
    Call call = Call.of(context);
    Path root = site.options().backupDirectory();
    if (root == null) {
      throw new WebException(
          WebErrorCode.FORBIDDEN, "the server was started without a directory for backups");
    }
    if (!PATH.matcher(path).matches()) {
      throw Json.bad(
          "path: \"%s\" (expected: names of letters, digits, _ . and - with / between them)"
              .formatted(Json.excerpt(path)));
    }
    Audited.done(context, "backup.begun").with("path", path).log();
    ProgressLines.answer(
        context,
        call.kv()
            .backup(root.resolve(path))
            .onErrorMap(KvException.class, failure -> withoutDirectory(failure, path))
            .map(progress -> line(progress, path)));
  }

  /** The failure as callers see it: where backups are is the operator's business. */
  private static KvException withoutDirectory(KvException failure, String path) {
    return failure.code() == KvErrorCode.INVALID_ARGUMENT
        ? new KvException(
            failure.code(),
            "path: \"%s\" (expected: a path where nothing is, or an empty directory)"
                .formatted(path),
            failure)
        : failure;
  }

  private static ObjectNode line(BackupProgress progress, String path) {
    ObjectNode line =
        Json.object()
            .put("done", progress.isDone())
            .put("entries", progress.entries())
            .put("bytes", progress.bytes())
            .put("elapsedMs", progress.elapsed().toMillis());
    Versionstamp versionstamp = progress.versionstamp();
    if (versionstamp != null) {
      line.put("versionstamp", versionstamp.toString()).put("path", path);
    }
    return line;
  }

  private static void compact(RoutingContext context) {
    Call call = call(context);
    Audited.done(context, "compaction.begun").log();
    ProgressLines.answer(context, call.kv().compact().map(AdminRoutes::line));
  }

  private static ObjectNode line(CompactionProgress progress) {
    return Json.object()
        .put("done", progress.done())
        .put("copied", progress.copied())
        .put("keys", progress.keys())
        .put("bytesBefore", progress.bytesBefore())
        .put("bytesAfter", progress.bytesAfter());
  }

  private static void verify(RoutingContext context) {
    Call call = call(context);
    Audited.done(context, "verification.begun").log();
    ProgressLines.answerTicking(
        context, call.kv().verify().map(report -> line(report, call.grant().reads())));
  }

  private static ObjectNode line(VerifyReport report, boolean withKeys) {
    Versionstamp first = report.first();
    ObjectNode line =
        Json.object()
            .put("done", true)
            .put("sound", report.sound())
            .put("segments", report.segments())
            .put("frames", report.frames())
            .put("commits", report.commits())
            .put("pages", report.pages())
            .put("keys", report.keys())
            .put("expiringKeys", report.expiringKeys())
            .put("first", first == null ? null : first.toString())
            .put("last", report.last().toString())
            .put("problemCount", report.problemCount());
    put(line.putArray("problems"), report.problems(), withKeys);
    put(line.putArray("notes"), report.notes(), withKeys);
    return line;
  }

  private static void put(ArrayNode array, List<VerifyReport.Problem> problems, boolean withKeys) {
    for (VerifyReport.Problem problem : problems) {
      ObjectNode json = array.addObject().put("kind", problem.kind().name());
      Path file = problem.file();
      if (file != null) { // where the store is, is the operator's business
        json.put("file", String.valueOf(file.getFileName()));
      }
      if (problem.offset() >= 0) {
        json.put("offset", problem.offset());
      }
      if (problem.key() != null && withKeys) {
        json.set("key", KvJson.toJson(problem.key()));
      }
      json.put("what", problem.what()).put("expected", problem.expected());
    }
  }
}
