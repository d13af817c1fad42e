package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvEntry;
import io.kvreactive.KvMessage;
import io.kvreactive.KvValue;
import io.kvreactive.LoadProgress;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.RestJson;
import java.util.List;

/**
 * JSON views of results of a local store, in the forms of the REST interface. Complements the views
 * that the REST interface itself has.
 */
public final class JsonViews {
  private static final String VERSIONSTAMP = "versionstamp";

  private JsonViews() {}

  static ObjectNode state(List<KvEntry<KvValue>> entries) {
    ObjectNode json = CliJson.object();
    ArrayNode array = json.putArray("entries");
    entries.forEach(entry -> array.add(RestJson.entry(entry)));
    return json;
  }

  static ObjectNode result(CommitResult result) {
    ObjectNode json = CliJson.object().put("committed", result.committed());
    if (result.committed()) {
      json.put(VERSIONSTAMP, String.valueOf(result.versionstamp()));
    } else {
      ArrayNode failed = json.putArray("failedChecks");
      result.failedChecks().forEach(failed::add);
    }
    return json;
  }

  static ObjectNode message(KvMessage<KvValue> message) {
    ObjectNode json = CliJson.object();
    json.put("id", message.id());
    json.set("value", KvJson.toJson(message.required()));
    json.put("attempt", message.attempt());
    json.put("lastAttempt", message.lastAttempt());
    json.put("enqueuedAt", message.enqueuedAt().toEpochMilli());
    return json;
  }

  static ObjectNode progress(LoadProgress progress) {
    return progress("entries", progress);
  }

  static ObjectNode loaded(LoadProgress progress) {
    return progress("items", progress);
  }

  private static ObjectNode progress(String counted, LoadProgress progress) {
    return CliJson.object()
        .put(counted, progress.entries())
        .put("bytes", progress.bytes())
        .put(VERSIONSTAMP, progress.versionstamp().toString());
  }

  static ObjectNode progress(BackupProgress progress) {
    Versionstamp stamp = progress.versionstamp();
    return CliJson.object()
        .put("entries", progress.entries())
        .put("bytes", progress.bytes())
        .put(VERSIONSTAMP, stamp == null ? null : stamp.toString())
        .put("done", progress.isDone());
  }

  static ObjectNode progress(CompactionProgress progress) {
    return CliJson.object()
        .put("copied", progress.copied())
        .put("keys", progress.keys())
        .put("bytesBefore", progress.bytesBefore())
        .put("bytesAfter", progress.bytesAfter())
        .put("done", progress.done());
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
