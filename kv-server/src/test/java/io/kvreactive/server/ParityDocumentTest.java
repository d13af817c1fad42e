package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvAdmin;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvQueues;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvStores;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The tables of docs/parity.md have every public method, and every operation, frame, command and
 * TypeScript method, and what they name exists.
 */
@ExtendWith(VertxExtension.class)
class ParityDocumentTest {
  private static final String REST = "REST";
  private static final String WEB_SOCKET = "WebSocket";
  private static final String COMMAND = "Command";
  private static final String TYPE_SCRIPT = "TypeScript";
  private static final String REMOTE = "Remote";
  private static final String JSON = "JSON";

  private static final String KV_TABLE = "`Kv`";
  private static final String QUEUES_TABLE = "`KvQueues`";
  private static final String ADMIN_TABLE = "`KvAdmin`";
  private static final String ATOMIC_TABLE = "`AtomicOperation`";
  private static final Map<String, Class<?>> TABLES =
      Map.of(
          "`DocumentCollection`",
          DocumentCollection.class,
          "`DocumentStore`",
          DocumentStore.class,
          KV_TABLE,
          Kv.class,
          QUEUES_TABLE,
          KvQueues.class,
          ADMIN_TABLE,
          KvAdmin.class,
          "`KvStores`",
          KvStores.class,
          ATOMIC_TABLE,
          AtomicOperation.class);

  private static final String DEVIATIONS = "Deviations";
  private static final String OTHERS = "Without a method";
  private static final int MAX_WORDS_OF_A_REASON = 25;

  private static final KvKey KEY = KvKey.of("a");
  private static final KvRange RANGE = KvRange.prefix("a");

  /** A call of each method of a store that may be on a server. */
  private static final Map<String, Function<Kv, Publisher<?>>> CALLS =
      Map.ofEntries(
          Map.entry("get", kv -> kv.get(KEY)),
          Map.entry("getMany", kv -> kv.getMany(List.of(KEY))),
          Map.entry("set", kv -> kv.set(KEY, 1)),
          Map.entry("touch", kv -> kv.touch(KEY, Duration.ofHours(1))),
          Map.entry("delete", kv -> kv.delete(KEY)),
          Map.entry("deleteRange", kv -> kv.deleteRange(RANGE)),
          Map.entry("list", kv -> kv.list(RANGE)),
          Map.entry("page", kv -> kv.page(RANGE, ListOptions.DEFAULT, Object.class)),
          Map.entry("count", kv -> kv.count(RANGE)),
          Map.entry("atomic", kv -> kv.atomic().set(KEY, 1).commit()),
          Map.entry("batchedAtomic", kv -> kv.batchedAtomic().set(KEY, 1).commit()),
          Map.entry("transact", kv -> kv.transact(tx -> tx.get(KEY))),
          Map.entry("update", kv -> kv.update(KEY, Object.class, entry -> 1)),
          Map.entry("load", kv -> kv.load(Flux.just(KvRecord.of(KEY, 1)))),
          Map.entry("watch", kv -> kv.watch(KEY)),
          Map.entry("changes", kv -> kv.changes(RANGE)),
          Map.entry("listAndWatch", kv -> kv.listAndWatch(RANGE)),
          Map.entry("limits", kv -> Mono.fromCallable(kv::limits)),
          Map.entry("historyId", kv -> Mono.fromCallable(kv::historyId).single()),
          Map.entry("queues", kv -> Mono.fromCallable(kv::queues)),
          Map.entry("admin", kv -> Mono.fromCallable(kv::admin)),
          Map.entry("engine", kv -> kv.engine().snapshot()),
          Map.entry("withEngine", kv -> kv.withEngine(engine -> engine).get(KEY)),
          Map.entry("close", kv -> kv.withEngine(engine -> engine).close()));

  private static final Map<String, Function<KvQueues, Publisher<?>>> QUEUE_CALLS =
      Map.of(
          "enqueue", queues -> queues.enqueue(1),
          "listen", queues -> queues.listen(Object.class),
          "handle",
              queues ->
                  queues.handle(Object.class, QueueOptions.DEFAULT, 1, message -> Mono.empty()));

  private static final Map<String, Function<KvAdmin, Publisher<?>>> ADMIN_CALLS =
      Map.of(
          "stats",
          KvAdmin::stats,
          "backup",
          admin -> admin.backup(Path.of("absent")),
          "verify",
          KvAdmin::verify,
          "compact",
          KvAdmin::compact,
          "importLines",
          admin -> admin.importLines(Flux.just("{\"key\":[\"a\"],\"value\":1}")),
          "exportLines",
          admin -> admin.exportLines(RANGE, ListOptions.DEFAULT));

  /** A commit with each part. */
  private static final Map<String, Function<AtomicOperation, Mono<CommitResult>>> PARTS =
      Map.ofEntries(
          Map.entry("check", atomic -> atomic.check(KEY, null).commit()),
          Map.entry("checkAbsent", atomic -> atomic.checkAbsent(KEY).commit()),
          Map.entry(
              "checkUnchanged", atomic -> atomic.checkUnchanged(RANGE, Versionstamp.ZERO).commit()),
          Map.entry("set", atomic -> atomic.set(KEY, 1).commit()),
          Map.entry("setVersionstamped", atomic -> atomic.setVersionstamped(KEY, 1).commit()),
          Map.entry("touch", atomic -> atomic.touch(KEY, Duration.ofHours(1)).commit()),
          Map.entry("delete", atomic -> atomic.delete(KEY).commit()),
          Map.entry("deleteRange", atomic -> atomic.deleteRange(RANGE).commit()),
          Map.entry("sum", atomic -> atomic.sum(KvKey.of("n"), 1).commit()),
          Map.entry("min", atomic -> atomic.min(KvKey.of("n"), KvU64.of(1)).commit()),
          Map.entry("max", atomic -> atomic.max(KvKey.of("n"), KvU64.of(1)).commit()),
          Map.entry("enqueue", atomic -> atomic.enqueue(1).commit()),
          Map.entry("commitId", atomic -> atomic.set(KEY, 1).commitId("one").commit()),
          Map.entry("commit", AtomicOperation::commit));

  private final ParityDocument document = ParityDocument.read();

  @Test
  void hasEachPublicMethodOnce() {
    TABLES.forEach(
        (table, type) -> {
          List<String> rows =
              document
                  .column(List.of(table), "Java")
                  .flatMap(cell -> cell.names().stream())
                  .toList();
          Set<String> methods =
              Arrays.stream(type.getMethods())
                  .filter(method -> method.getDeclaringClass() != Object.class)
                  .filter(method -> !method.isSynthetic())
                  .map(Method::getName)
                  .collect(Collectors.toCollection(TreeSet::new));
          assertThat(rows)
              .as("docs/parity.md, table " + table)
              .containsExactlyInAnyOrderElementsOf(methods);
        });
  }

  @Test
  void hasEachOperationOfRest() {
    assertComplete(
        REST,
        Arrays.stream(Operation.values()).filter(Operation::isRoute).map(Operation::id).toList());
  }

  @Test
  void hasEachFrame() {
    String frame = "frame: ";
    assertComplete(
        WEB_SOCKET,
        Arrays.stream(Operation.values())
            .map(Operation::call)
            .filter(call -> call.startsWith(frame))
            .map(call -> call.substring(frame.length()))
            .toList());
  }

  @Test
  void hasEachMemberOfACommit() throws IOException {
    assertComplete(JSON, membersOfCommits());
  }

  /** Returns the members of {@code POST /atomic}, the types of its mutations, and its header. */
  private static Set<String> membersOfCommits() throws IOException {
    try (InputStream in =
        Operation.class.getResourceAsStream("/io/kvreactive/web/internal/rest/openapi.yaml")) {
      JsonNode components = new YAMLMapper().readTree(in).path("components");
      Set<String> names = new TreeSet<>(Set.of(Operation.ATOMIC.id()));
      components.at("/schemas/Atomic/properties").fieldNames().forEachRemaining(names::add);
      names.remove("mutations"); // rows have their types
      for (JsonNode mutation : components.at("/schemas/Mutation/oneOf")) {
        JsonNode type = mutation.at("/properties/type");
        type.path("enum").forEach(each -> names.add(each.asText()));
        if (type.has("const")) {
          names.add(type.path("const").asText());
        }
      }
      names.add(components.at("/parameters/idempotencyKey/name").asText());
      return names;
    }
  }

  @Test
  void hasEachCommandWithExistingOptions() {
    Map<String, CommandSpec> commands = new TreeMap<>();
    add(KvMain.commandLine(""), commands);
    assertComplete(COMMAND, commands.keySet());
    for (String typed : inTables(COMMAND)) {
      String[] words = typed.split(" (?=--)");
      for (String option : Arrays.asList(words).subList(1, words.length)) {
        assertThat(commands.get(words[0]).optionsMap()).as(typed).containsKey(option);
      }
    }
  }

  private static void add(CommandLine line, Map<String, CommandSpec> commands) {
    if (line.getSubcommands().isEmpty()) {
      commands.put(line.getCommandSpec().qualifiedName(), line.getCommandSpec());
    }
    line.getSubcommands().values().forEach(each -> add(each, commands));
  }

  /** Rows may also name properties, such as the name of a collection. */
  @Test
  void hasEachMethodOfTypeScript() throws IOException {
    Map<String, Boolean> members = TypeScriptMembers.methods();
    assertThat(members.keySet().stream().map(name -> name.replaceFirst("\\..*", "")))
        .contains("AtomicOperation", "Client", "Collection", "KvError", "Queue");
    List<String> methods = members.keySet().stream().filter(members::get).toList();
    assertThat(methods).hasSizeGreaterThan(40);
    assertComplete(TYPE_SCRIPT, methods, members.keySet());
  }

  private void assertComplete(String column, Collection<String> names) {
    assertComplete(column, names, names);
  }

  /** Checks the names in a column of the tables, and in the list of names without a method. */
  private void assertComplete(
      String column, Collection<String> required, Collection<String> existing) {
    Set<String> inTables =
        inTables(column).stream()
            .map(name -> name.replaceFirst(" --.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> others =
        document.table(OTHERS).stream()
            .filter(row -> row.get("Column").equals(column))
            .flatMap(row -> ParityDocument.namesOf(row.get("Names")).stream())
            .toList();
    assertThat(others).doesNotHaveDuplicates().doesNotContainAnyElementsOf(inTables);
    inTables.addAll(others);
    assertThat(inTables)
        .as("docs/parity.md, column " + column)
        .isSubsetOf(existing)
        .containsAll(required);
  }

  private List<String> inTables(String column) {
    return document.column(TABLES.keySet(), column).flatMap(cell -> cell.names().stream()).toList();
  }

  @Test
  void hasAReasonForEachDeviation() {
    Set<String> deviations = new TreeSet<>();
    for (String column : List.of(REST, WEB_SOCKET, COMMAND, TYPE_SCRIPT, REMOTE, JSON)) {
      document
          .column(TABLES.keySet(), column)
          .map(ParityDocument.Cell::deviation)
          .filter(Objects::nonNull)
          .forEach(deviations::add);
    }
    assertThat(document.table(DEVIATIONS).stream().map(row -> row.get("Word")))
        .containsExactlyElementsOf(deviations);
    assertThat(Stream.of(DEVIATIONS, OTHERS).flatMap(table -> document.table(table).stream()))
        .allSatisfy(row -> assertThat(row.get("Reason")).matches("[A-Z].*\\."))
        .allSatisfy(
            row ->
                assertThat(row.get("Reason").split(" "))
                    .hasSizeLessThanOrEqualTo(MAX_WORDS_OF_A_REASON));
    assertThat(document.table(OTHERS).stream().map(row -> row.get("Column")))
        .isSubsetOf(REST, WEB_SOCKET, COMMAND, TYPE_SCRIPT);
  }

  /**
   * Runs each method that a remote store may have. What fails with UNSUPPORTED is a deviation. Of
   * remote collections, {@code RemoteCollectionTest} runs the methods.
   */
  @Test
  void tellsWhatARemoteStoreSupports(Vertx vertx) {
    try (TestServer server = TestServer.start(vertx)) {
      Kv kv =
          Kv.connect(vertx, server.uri("/").toString(), TestServer.TOKEN).block(TestServer.TIMEOUT);
      assertThat(remote(KV_TABLE)).isEqualTo(supported(CALLS, () -> kv));
      assertThat(remote(QUEUES_TABLE)).isEqualTo(supported(QUEUE_CALLS, kv::queues));
      assertThat(remote(ADMIN_TABLE)).isEqualTo(supported(ADMIN_CALLS, kv::admin));
      assertThat(remote(ATOMIC_TABLE)).isEqualTo(supported(PARTS, kv::atomic));
      kv.close().block(TestServer.TIMEOUT);
    }
  }

  /** Returns true for each method that a table calls supported, false for KV Connect's gaps. */
  private Map<String, Boolean> remote(String table) {
    Map<String, Boolean> methods = new TreeMap<>();
    for (Map<String, String> row : document.table(table)) {
      ParityDocument.Cell cell = ParityDocument.Cell.of(row.get(REMOTE));
      if (cell.deviation() == null || cell.deviation().equals("*protocol*")) {
        ParityDocument.namesOf(row.get("Java"))
            .forEach(name -> methods.put(name, cell.deviation() == null));
      }
    }
    return methods;
  }

  /**
   * Makes the calls in the order of their names: a touch after a set, because it ignores absent
   * keys.
   */
  private static <T, P extends Publisher<?>> Map<String, Boolean> supported(
      Map<String, Function<T, P>> calls, Supplier<T> target) {
    Map<String, Boolean> supported = new TreeMap<>();
    new TreeMap<>(calls)
        .forEach((name, call) -> supported.put(name, isSupported(call.apply(target.get()))));
    return supported;
  }

  private static boolean isSupported(Publisher<?> call) {
    try {
      Flux.from(call).blockFirst(TestServer.TIMEOUT);
      return true;
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.UNSUPPORTED);
      return false;
    }
  }
}
