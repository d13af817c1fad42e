package io.kvreactive.web.internal.rest;

import static io.kvreactive.protocol.JsonForm.TEXT;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.BackupProgress;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Routes of administration of an open store: backup, compact, verify. */
final class AdminRoutes {
  /**
   * A relative path without dots at the start of a part. Such a path is neither {@code ..} nor
   * absolute, so it is always below the directory.
   */
  private static final Pattern PATH =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,7}");

  private final ServerContext serverContext;

  private AdminRoutes(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  static void mount(OperationRoutes routes, ServerContext serverContext) {
    AdminRoutes admin = new AdminRoutes(serverContext);
    routes.body(Operation.BACKUP, AdminRoutes::path, admin::backup);
    routes.plain(Operation.COMPACT, AdminRoutes::compact);
    routes.plain(Operation.VERIFY, AdminRoutes::verify);
  }

  private static RequestContext call(RoutingContext context) {
    var unused = QueryParams.of(context);
    return RequestContext.of(context);
  }

  private static String path(RoutingContext context) {
    var unused = call(context);
    return StrictJson.input(OperationRoutes.json(context), "body")
        .members("path")
        .read("path", TEXT);
  }

  private void backup(RoutingContext context, String path) {
    RequestContext requestContext = RequestContext.of(context);
    Path root = serverContext.options().backupDirectory();
    if (root == null) {
      throw new WebException(
          WebErrorCode.FORBIDDEN,
          "backups are disabled: the server has no directory for backups"
              + " (expected: a server started with --backup-dir DIR)");
    }
    if (!PATH.matcher(path).matches()) {
      throw StrictJson.bad(
          "path: \"%s\" (expected: names of letters, digits, _ . and - with / between them)"
              .formatted(StrictJson.excerpt(path)));
    }
    AuditEntries.done(context, "backup.begun").with("path", path).log();
    ProgressLines.answer(
        context,
        requestContext
            .kv()
            .admin()
            .backup(root.resolve(path))
            .onErrorMap(KvException.class, failure -> withoutDirectory(failure, path))
            .map(progress -> line(progress, path)));
  }

  /**
   * Returns the failure for callers. It does not name the directory for backups, which is private
   * to the operator.
   */
  private static KvException withoutDirectory(KvException failure, String path) {
    return failure.code() == KvErrorCode.INVALID_ARGUMENT
        ? new KvException(
            failure.code(),
            "path: \"%s\" (expected: a path that does not exist, or an empty directory)"
                .formatted(path),
            failure)
        : failure;
  }

  private static ObjectNode line(BackupProgress progress, String path) {
    ObjectNode line =
        StrictJson.object()
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
    RequestContext requestContext = call(context);
    AuditEntries.done(context, "compaction.begun").log();
    ProgressLines.answer(context, requestContext.kv().admin().compact().map(AdminRoutes::line));
  }

  private static ObjectNode line(CompactionProgress progress) {
    return StrictJson.object()
        .put("done", progress.done())
        .put("copied", progress.copied())
        .put("keys", progress.keys())
        .put("bytesBefore", progress.bytesBefore())
        .put("bytesAfter", progress.bytesAfter());
  }

  private static void verify(RoutingContext context) {
    RequestContext requestContext = call(context);
    AuditEntries.done(context, "verification.begun").log();
    ProgressLines.answer(
        context,
        requestContext
            .kv()
            .admin()
            .verify()
            .map(report -> line(report, requestContext.grant().reads())));
  }

  private static ObjectNode line(VerifyReport report, boolean withKeys) {
    Versionstamp first = report.first();
    ObjectNode line =
        StrictJson.object()
            .put("done", report.done())
            .put("expected", report.expected())
            .put("segments", report.segments())
            .put("frames", report.frames())
            .put("commits", report.commits())
            .put("pages", report.pages())
            .put("keys", report.keys())
            .put("expiringKeys", report.expiringKeys())
            .put("first", first == null ? null : first.toString())
            .put("last", report.last().toString())
            .put("problemCount", report.problemCount());
    if (report.done()) {
      line.put("sound", report.sound());
      put(line.putArray("problems"), report.problems(), withKeys);
      put(line.putArray("notes"), report.notes(), withKeys);
    }
    return line;
  }

  private static void put(ArrayNode array, List<VerifyReport.Problem> problems, boolean withKeys) {
    for (VerifyReport.Problem problem : problems) {
      ObjectNode json = array.addObject().put("kind", problem.kind().name());
      Path file = problem.file();
      if (file != null) { // the directory of the store is private to the operator
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
