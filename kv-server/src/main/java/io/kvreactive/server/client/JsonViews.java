package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.BackupProgress;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import java.util.List;

/**
 * JSON views of what no route does: backups to any directory, and verifications of closed stores.
 */
public final class JsonViews {
  private JsonViews() {}

  static ObjectNode progress(BackupProgress progress) {
    Versionstamp stamp = progress.versionstamp();
    return CliJson.object()
        .put("entries", progress.entries())
        .put("bytes", progress.bytes())
        .put("versionstamp", stamp == null ? null : stamp.toString())
        .put("done", progress.isDone());
  }

  /** Returns the JSON of a verification report. */
  public static ObjectNode report(VerifyReport report) {
    ObjectNode json =
        CliJson.object()
            .put("done", report.done())
            .put("expected", report.expected())
            .put("sound", report.sound())
            .put("segments", report.segments())
            .put("commits", report.commits())
            .put("pages", report.pages())
            .put("keys", report.keys())
            .put("last", report.last().toString())
            .put("problemCount", report.problemCount());
    problems(json.putArray("problems"), report.problems());
    problems(json.putArray("notes"), report.notes());
    return json;
  }

  private static void problems(ArrayNode array, List<VerifyReport.Problem> problems) {
    for (VerifyReport.Problem problem : problems) {
      ObjectNode json = array.addObject().put("kind", problem.kind().name());
      if (problem.file() != null) {
        json.put("file", problem.file().toString());
      }
      if (problem.offset() >= 0) {
        json.put("offset", problem.offset());
      }
      if (problem.key() != null) {
        json.set("key", KvJson.toJson(problem.key()));
      }
      json.put("what", problem.what()).put("expected", problem.expected());
    }
  }
}
