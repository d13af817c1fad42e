package io.kvreactive.documents.internal.transform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvValue;
import io.kvreactive.documents.IndexState;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.value.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stored record of the progress of background work on a collection. Each batch changes the
 * record in its own commit.
 *
 * @param owner the worker; others leave the work to the owner as long as {@code beat} is fresh
 * @param beat the time of the owner's last progress, in milliseconds since 1970
 * @param policyVersion the policy version of {@code percent}
 * @param percent the progress, which never falls while the policy version stays the same
 * @param jobs the jobs by {@link #build} and {@link #drop}
 */
record IndexWorkRecord(
    String owner, long beat, int policyVersion, int percent, Map<String, Job> jobs) {
  static final IndexWorkRecord NONE = new IndexWorkRecord("", 0, 0, 0, Map.of());

  /**
   * The progress of one job.
   *
   * @param cursor the last document id that was built; 0 at the start
   * @param done the number of finished items or keys
   * @param total the number of items or keys at the start
   */
  record Job(long cursor, long done, long total) {}

  IndexWorkRecord {
    jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
  }

  static String build(String index) {
    return "build " + index;
  }

  static String drop(CollectionRecord.Drop drop) {
    return "drop " + drop.index() + " " + drop.space() + " " + drop.number();
  }

  /** Returns the job of the given name, or null if the job has not started. */
  @Nullable Job job(String name) {
    return jobs.get(name);
  }

  /** Returns a record with other jobs and the matching percentage. */
  IndexWorkRecord with(
      String newOwner, long newBeat, Map<String, Job> newJobs, CollectionRecord record) {
    IndexWorkRecord moved =
        new IndexWorkRecord(newOwner, newBeat, record.policyVersion(), 0, newJobs);
    int reached = moved.reached(record);
    int before = policyVersion == record.policyVersion() ? percent : 0;
    return new IndexWorkRecord(
        newOwner, newBeat, record.policyVersion(), Math.max(before, reached), newJobs);
  }

  /** Returns the jobs without the named ones. */
  static Map<String, Job> without(Map<String, Job> jobs, List<String> names) {
    Map<String, Job> left = new LinkedHashMap<>(jobs);
    left.keySet().removeAll(names);
    return left;
  }

  private int reached(CollectionRecord record) {
    if (record.builds().isEmpty() && record.drops().isEmpty()) {
      return 100;
    }
    long done = 0;
    long total = 0;
    for (Job job : jobs.values()) {
      done += Math.min(job.done(), job.total());
      total += job.total();
    }
    return total == 0 ? 0 : (int) Math.min(99, 100 * done / total);
  }

  /** Returns the progress as reported to users. */
  TransformationProgress progress(CollectionRecord record) {
    List<TransformationProgress.Job> shown = new ArrayList<>();
    for (CollectionRecord.Build build : record.builds()) {
      IndexState state = build.error() == null ? IndexState.BUILDING : IndexState.FAILED;
      shown.add(
          shown(
              build.index(),
              state,
              build(build.index()),
              build.startedAt(),
              build.error(),
              record.nameOf(build.number())));
    }
    for (CollectionRecord.Drop drop : record.drops()) {
      shown.add(
          shown(
              drop.index(),
              IndexState.DROPPING,
              drop(drop),
              drop.startedAt(),
              null,
              drop.definition()));
    }
    int now = policyVersion == record.policyVersion() ? percent : 0;
    return new TransformationProgress(
        record.policyVersion(), shown.isEmpty() ? 100 : Math.min(99, now), shown);
  }

  private TransformationProgress.Job shown(
      String index,
      IndexState state,
      String name,
      long startedAt,
      @Nullable String error,
      @Nullable String definition) {
    Job job = jobs.get(name);
    return new TransformationProgress.Job(
        index,
        state,
        job == null ? 0 : job.done(),
        job == null ? 0 : job.total(),
        Instant.ofEpochMilli(startedAt),
        error,
        definition);
  }

  KvValue encode() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("owner", owner)
        .put("beat", beat)
        .put("policyVersion", policyVersion)
        .put("percent", percent);
    ObjectNode all = json.putObject("jobs");
    jobs.forEach(
        (name, job) ->
            all.putObject(name)
                .put("cursor", job.cursor())
                .put("done", job.done())
                .put("total", job.total()));
    return new KvValue(KvValue.Encoding.BYTES, Json.write(json));
  }

  static IndexWorkRecord decode(byte[] bytes) {
    JsonNode json = Json.parse(bytes);
    Map<String, Job> jobs = new LinkedHashMap<>();
    json.required("jobs")
        .properties()
        .forEach(
            job ->
                jobs.put(
                    job.getKey(),
                    new Job(
                        job.getValue().required("cursor").longValue(),
                        job.getValue().required("done").longValue(),
                        job.getValue().required("total").longValue())));
    return new IndexWorkRecord(
        json.required("owner").textValue(),
        json.required("beat").longValue(),
        json.required("policyVersion").intValue(),
        json.required("percent").intValue(),
        jobs);
  }
}
