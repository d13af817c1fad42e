package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.GraphIndexBuilder;
import io.github.jbellis.jvector.graph.GraphSearcher;
import io.github.jbellis.jvector.graph.ImmutableGraphIndex.NodeAtLevel;
import io.github.jbellis.jvector.graph.NodeArray;
import io.github.jbellis.jvector.graph.NodesIterator;
import io.github.jbellis.jvector.graph.OnHeapGraphIndex;
import io.github.jbellis.jvector.graph.SearchResult;
import io.github.jbellis.jvector.graph.SearchResult.NodeScore;
import io.github.jbellis.jvector.graph.similarity.DefaultSearchScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.graph.similarity.SearchScoreProvider;
import io.github.jbellis.jvector.util.Bits;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongPredicate;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntHashSet;
import org.jspecify.annotations.Nullable;

/**
 * A neighbor index of the type diskANN: a JVector graph in which each vector has edges to close
 * vectors. Vectors are whole, or compressed if the definition has a size of compressed vectors.
 */
final class NeighborGraph implements ShardStructure {
  /** Maximum number of edges of a vector. */
  private static final int DEGREE = 32;

  private static final int SEARCH_LIST = 100;
  private static final float OVERFLOW = 1.2f;
  private static final float ALPHA = 1.2f;

  /**
   * Number of candidates from which a search ends with the first step that finds no closer vector;
   * with fewer candidates it ends with the second such step.
   */
  private static final int ENOUGH_CANDIDATES = 160;

  /**
   * Maximum number of candidates of a search; the search ends then, even if it still finds closer
   * vectors.
   */
  private static final int MAX_CANDIDATES = 4096;

  /**
   * Number of codes whose scan costs as much as one visit of the graph, whose time is mostly that
   * of reading memory at random. Measured: 21 of 128 dimensions, 15 of 1,536, with visits of whole
   * vectors. Visits of rounded ones cost less (ADR 18).
   */
  private static final int SCANNED_PER_VISIT = 16;

  /** Number of nodes that are due to be checked after each change. */
  private static final int CHECKED_PER_CHANGE = 8;

  /** Number of nodes that a check looks for: the minimum number of candidates of a query. */
  private static final int CHECKED_LIST = 50;

  /** Minimum number of candidates of a search by approximate scores, to find out their errors. */
  private static final int MIN_GUIDED = 10;

  /**
   * Maximum range of the errors of approximate squares of distances, as a fraction of the range of
   * the exact ones of the first candidates. Larger errors occur where distances are less than a
   * hundredth of those from the centroid. Measured with 20,000 vectors of 128 dimensions: where
   * half of the searches had more than 0.88, all of the ten closest were found, and 11 % of them
   * where half had more than 1.02.
   */
  private static final double MAX_ERROR = 0.75;

  private final IndexedVectors vectors;
  private final @Nullable ForkJoinPool ownPool;
  private final GraphIndexBuilder builder;
  private final OnHeapGraphIndex graph;
  private final Queue<GraphSearcher> searchers = new ConcurrentLinkedQueue<>(); // not in use
  private @Nullable RandomAccessReader edges; // the saved edges that must still be read
  private final PastSearches searches = new PastSearches();
  private final PastSearches filtered = new PastSearches();
  private final IntArrayList deleted = new IntArrayList(); // still in the graph

  private final BackEdges backEdges = new BackEdges();
  private int unchecked; // the number of nodes that are due to be checked
  private int lastChecked = -1;

  /** The number of vectors that the last search without a filter has visited. */
  private volatile int lastVisited = Integer.MAX_VALUE;

  /**
   * Creates an empty graph.
   *
   * @param shared the pool in which the graph works, closed by the caller; null for an own pool
   */
  NeighborGraph(NeighborSpec spec, IndexedVectors vectors, @Nullable ForkJoinPool shared) {
    this.vectors = vectors;
    this.ownPool = shared == null ? new ForkJoinPool(1) : null;
    ForkJoinPool pool = shared == null ? Objects.requireNonNull(ownPool) : shared;
    Integer searchList = spec.searchListSize();
    this.builder =
        GraphIndexBuilder.builder(vectors.builds(), vectors.dimensions(), DEGREE)
            .withBeamWidth(searchList == null ? SEARCH_LIST : searchList)
            .withNeighborOverflow(OVERFLOW)
            .withAlpha(ALPHA)
            .withSimdExecutor(pool)
            .withParallelExecutor(pool)
            .build();
    this.graph = (OnHeapGraphIndex) builder.getGraph();
  }

  @Override
  public IndexedVectors vectors() {
    return vectors;
  }

  @Override
  public void add(long id, long stamp, VectorFloat<?> indexed) {
    int ordinal = vectors.add(id, stamp, indexed);
    builder.addGraphNode(ordinal, indexed);
    if (!hasNearEdge(ordinal)) {
      checkNode(ordinal);
    }
    changed();
  }

  /**
   * Returns true if a neighbor of a node has an edge to it. The builder makes edges in both
   * directions, but a node with too many drops those to nodes that others lead to more directly.
   */
  private boolean hasNearEdge(int node) {
    for (NodesIterator near = graph.getNeighborsIterator(0, node); near.hasNext(); ) {
      for (NodesIterator back = graph.getNeighborsIterator(0, near.nextInt()); back.hasNext(); ) {
        if (back.nextInt() == node) {
          return true;
        }
      }
    }
    return graph.size(0) == 1;
  }

  private void changed() {
    unchecked = Math.min(unchecked + CHECKED_PER_CHANGE, vectors.ordinals().limit());
  }

  /**
   * {@inheritDoc}
   *
   * <p>Eight vectors are due for each change, at most all of them.
   */
  @Override
  public boolean check(int count) {
    for (int i = 0; i < count && unchecked > 0; i++) {
      unchecked--;
      lastChecked = (lastChecked + 1) % vectors.ordinals().limit();
      checkNode(lastChecked);
    }
    return unchecked > 0;
  }

  /**
   * Searches for the vector of a node, by exact scores and by guides. For a search that does not
   * find the node, the node gets an edge from the closest one that the search finds.
   */
  private void checkNode(int node) {
    if (vectors.ordinals().id(node) == 0) {
      return;
    }
    lead(node, BackEdges.EXACT, vectors.builds().searchProviderFor(node));
    ScoreFunction guides = vectors.guides(node);
    if (!guides.isExact()) {
      lead(node, BackEdges.GUIDED, new DefaultSearchScoreProvider(guides));
    }
  }

  private void lead(int node, int kind, SearchScoreProvider scores) {
    GraphSearcher searcher = searcher();
    NodeScore[] found = searcher.search(scores, CHECKED_LIST, Bits.ALL).getNodes();
    searchers.add(searcher);
    if (Arrays.stream(found).noneMatch(each -> each.node == node)) {
      var unused = Arrays.stream(found).anyMatch(each -> backEdges.put(each.node, node, kind));
    }
  }

  @Override
  public void removeAll(long[] ids) {
    boolean isOfTop = false;
    for (long id : ids) {
      int ordinal = vectors.ordinals().take(id);
      if (ordinal >= 0) {
        builder.markNodeDeleted(ordinal);
        deleted.addInt(ordinal);
        isOfTop |= graph.getMaxLevelForNode(ordinal) == graph.getMaxLevel();
        changed();
      }
    }
    if (isOfTop) {
      tidy(); // a search for new neighbors that begins at a deleted node may find none
    }
  }

  @Override
  public long memoryBytes() {
    return vectors.memoryBytes() + graph.ramBytesUsed() + backEdges.memoryBytes();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Each step takes as many candidates as all steps before. The search ends when steps find no
   * candidate closer than the first results so far: the necessary number of candidates depends on
   * the distribution of the vectors around. A search that visits so many vectors that a scan of
   * their codes costs less is completed by a scan.
   */
  @Override
  public Found find(
      float[] vector, int first, int wanted, LongPredicate accepted, PriorityQueue<Float> best) {
    Nearest nearest = new Nearest(first, wanted, best);
    ScoreFunction scores = vectors.scores(vector);
    PastSearches past = accepted == NeighborIndex.ALL ? searches : filtered;
    boolean isScan = past.graph.omit();
    if (!isScan) {
      isScan = !search(vector, scores, nearest, accepted, past);
      past.graph.add(isScan);
    }
    if (isScan) {
      scan(vector, scores, nearest, accepted);
    }
    return nearest.found();
  }

  @Override
  public long searchCost() {
    long limit = vectors.ordinals().limit();
    long codes = searches.graph.mayOmit() ? limit : (long) lastVisited * SCANNED_PER_VISIT;
    return Math.min(limit, codes) * vectors.dimensions();
  }

  /** Searches the graph. Returns false if a scan costs less than to continue. */
  private boolean search(
      float[] vector,
      ScoreFunction scores,
      Nearest nearest,
      LongPredicate accepted,
      PastSearches past) {
    int mostVisited =
        vectors.hasBounds() ? vectors.ordinals().limit() / SCANNED_PER_VISIT : Integer.MAX_VALUE;
    Accepts accepts = new Accepts(vectors.ordinals(), accepted);
    GraphSearcher searcher = searcher();
    // after the view, so that its nodes have been rounded
    ScoreFunction guides = past.guided.omit() ? scores : vectors.guides(vector);
    GroupScores exact =
        vectors.isExact() && !guides.isExact() && scores instanceof GroupScores all ? all : null;
    int total = exact == null ? nearest.wanted : Math.max(nearest.wanted, MIN_GUIDED);
    SearchResult found = searcher.search(new DefaultSearchScoreProvider(guides), total, accepts);
    int visited = found.getVisitedCount();
    NodeScore[] nodes = scored(found, exact);
    if (exact != null) {
      boolean areRough = areRough(found.getNodes(), nodes);
      past.guided.add(areRough);
      if (areRough) {
        exact = null;
        found = searcher.search(new DefaultSearchScoreProvider(scores), total, accepts);
        visited += found.getVisitedCount();
        nodes = found.getNodes();
      }
    }
    boolean isComplete = total >= MAX_CANDIDATES;
    nearest.add(nodes);
    boolean isLater = false; // the last step was the first one without a closer vector
    while (!isComplete && visited < mostVisited) {
      found = searcher.resume(total, total);
      visited += found.getVisitedCount();
      boolean closer = nearest.add(scored(found, exact));
      total *= 2;
      isComplete = total >= MAX_CANDIDATES || !closer && (isLater || total >= ENOUGH_CANDIDATES);
      isLater = !closer;
    }
    if (accepted == NeighborIndex.ALL) {
      lastVisited = visited;
    }
    accepts.test = null;
    searchers.add(searcher); // not if the search failed
    return isComplete;
  }

  /** Returns found nodes with other scores, or those of the search if {@code exact} is null. */
  private static NodeScore[] scored(SearchResult found, @Nullable GroupScores exact) {
    NodeScore[] nodes = found.getNodes();
    if (exact == null) {
      return nodes;
    }
    int[] ordinals = Arrays.stream(nodes).mapToInt(node -> node.node).toArray();
    float[] scores = new float[ordinals.length + GroupScores.GROUP - 1];
    exact.similarities(ordinals, ordinals.length, scores);
    NodeScore[] scored = new NodeScore[nodes.length];
    Arrays.setAll(scored, i -> new NodeScore(ordinals[i], scores[i]));
    return scored;
  }

  /**
   * Returns true if the errors of approximate scores are so large that they hardly tell which of
   * the found vectors are closer.
   */
  private static boolean areRough(NodeScore[] approximate, NodeScore[] exact) {
    DoubleSummaryStatistics squares = new DoubleSummaryStatistics(); // of distances
    DoubleSummaryStatistics errors = new DoubleSummaryStatistics();
    for (int i = 0; i < exact.length; i++) {
      float square = WholeVectors.square(exact[i].score);
      squares.accept(square);
      errors.accept(WholeVectors.square(approximate[i].score) - square);
    }
    double range = squares.getMax() - squares.getMin();
    return errors.getMax() - errors.getMin() > MAX_ERROR * range;
  }

  /** Scans the codes of all vectors, and computes the distance of those that may be close. */
  private void scan(float[] vector, ScoreFunction scores, Nearest nearest, LongPredicate accepted) {
    Ordinals ordinals = vectors.ordinals();
    int limit = ordinals.limit(); // before the bounds, which include all of these ordinals then
    BinaryCodes.Bounds bounds = vectors.bounds(vector);
    ScoreFunction guides = vectors.guides(vector);
    Errors errors = guides.isExact() ? null : new Errors();
    IntHashSet known = nearest.nodes();
    float farthest = nearest.farthest();
    for (int ordinal = bounds.next(0, limit, farthest);
        ordinal < limit;
        ordinal = bounds.next(ordinal + 1, limit, farthest)) {
      long id = ordinals.id(ordinal);
      if (id == 0 || known.contains(ordinal) || !accepted.test(id)) {
        continue;
      }
      float near = errors == null ? 0 : WholeVectors.square(guides.similarityTo(ordinal));
      if (errors == null || !(errors.least(near) >= farthest)) {
        float score = scores.similarityTo(ordinal);
        if (errors != null) {
          errors.add(near, WholeVectors.square(score));
        }
        nearest.add(ordinal, score);
        farthest = nearest.farthest();
      }
    }
  }

  /** The errors of approximate squares of distances in a scan. */
  private static final class Errors {
    /** Number of errors that tell the range of nearly all. */
    private static final int ENOUGH = 32;

    private int count;
    private double least = Double.POSITIVE_INFINITY;
    private double most = Double.NEGATIVE_INFINITY;

    void add(float approximate, float exact) {
      double error = (double) approximate - exact;
      least = Math.min(least, error);
      most = Math.max(most, error);
      count++;
    }

    /** Returns a square that the exact one hardly falls below: by twice the range so far. */
    double least(float approximate) {
      return count < ENOUGH ? 0 : approximate - most - (most - least);
    }
  }

  /** What earlier searches of one kind tell: of those with a condition, or of those without. */
  private static final class PastSearches {
    final Attempts graph = new Attempts(); // to do without a scan
    final Attempts guided = new Attempts(); // to do with approximate scores
  }

  /**
   * Decides if a search makes an attempt that saves time if it succeeds. After two failures in a
   * row, the next searches omit it; then it is made again. Thread-safe.
   */
  private static final class Attempts {
    private static final int OMITTED = 16;

    private boolean hasFailed; // the last one
    private int omitted; // by the next searches

    synchronized boolean omit() {
      if (omitted == 0) {
        return false;
      }
      omitted--;
      return true;
    }

    /** Returns true if the next attempt will probably be omitted or fail. */
    synchronized boolean mayOmit() {
      return omitted > 0 || hasFailed;
    }

    synchronized void add(boolean isFailure) {
      omitted = isFailure && hasFailed ? OMITTED : 0;
      hasFailed = isFailure;
    }
  }

  /** The closest vectors that a search has found so far. */
  private final class Nearest {
    private final int first;
    private final int wanted;
    private final PriorityQueue<Float> best;
    private final PriorityQueue<NodeScore> closest = // the farthest first
        new PriorityQueue<>((one, other) -> Float.compare(one.score, other.score));

    Nearest(int first, int wanted, PriorityQueue<Float> best) {
      this.first = first;
      this.wanted = wanted;
      this.best = best;
    }

    /** Returns true if one of the found vectors is closer than the first results so far. */
    boolean add(NodeScore[] nodes) {
      boolean closer = false;
      for (NodeScore node : nodes) {
        closer |= add(node);
      }
      return closer;
    }

    private boolean add(NodeScore node) {
      if (closest.size() < wanted) {
        closest.add(node);
      } else if (node.score > closest.element().score) {
        closest.remove();
        closest.add(node);
      }
      boolean closer = best.size() < first;
      if (!closer && node.score > best.element()) {
        best.remove();
        closer = true;
      }
      if (closer) {
        best.add(node.score);
      }
      return closer;
    }

    /** Adds a vector that was not found before. */
    void add(int ordinal, float score) {
      if (closest.size() < wanted || score > closest.element().score) {
        var unused = add(new NodeScore(ordinal, score));
      }
    }

    /** Returns the ordinals of the vectors found so far. */
    IntHashSet nodes() {
      IntHashSet nodes = new IntHashSet();
      closest.forEach(node -> nodes.add(node.node));
      return nodes;
    }

    /** Returns the square of the distance beyond which vectors are not among the closest. */
    float farthest() {
      return closest.size() < wanted
          ? Float.POSITIVE_INFINITY
          : WholeVectors.square(closest.element().score);
    }

    /** Returns the result, and forgets it. */
    Found found() {
      Found found = Found.of(closest.size());
      for (int i = found.ids().length - 1; i >= 0; i--) {
        NodeScore farthest = closest.remove();
        found.ids()[i] = vectors.ordinals().id(farthest.node);
        found.scores()[i] = farthest.score;
      }
      return found;
    }
  }

  /** The accepted ordinals of a search. A searcher that is not in use keeps its last one. */
  private static final class Accepts implements Bits {
    private final Ordinals ordinals;
    private @Nullable LongPredicate test; // null when the search has ended

    Accepts(Ordinals ordinals, LongPredicate test) {
      this.ordinals = ordinals;
      this.test = test;
    }

    @Override
    public boolean get(int ordinal) {
      long id = ordinals.id(ordinal);
      LongPredicate accepted = test;
      return id != 0 && accepted != null && accepted.test(id);
    }
  }

  /** Returns a searcher, whose collections have the size of earlier searches. */
  private GraphSearcher searcher() {
    GraphSearcher searcher = searchers.poll();
    if (searcher == null) {
      searcher = new GraphSearcher(graph);
    }
    searcher.setView(new GroupedNeighbors(graph, backEdges.view()));
    return searcher;
  }

  @Override
  public float @Nullable [] vector(long id) {
    int ordinal = vectors.ordinals().of(id);
    // the map may be changing, so that the ordinal is another one's
    return ordinal < 0 || vectors.ordinals().id(ordinal) != id ? null : vectors.added(ordinal);
  }

  @Override
  public void tidy() {
    if (deleted.isEmpty()) {
      return;
    }
    builder.removeDeletedNodes();
    IntArrayList lost = new IntArrayList(); // the nodes that have lost their back edge
    deleted.forEachInt(node -> backEdges.removeAll(node, lost));
    deleted.forEachInt(vectors.ordinals()::free);
    deleted.clear();
    lost.forEachInt(this::checkNode);
  }

  @Override
  public void close() {
    if (ownPool != null) {
      ownPool.shutdown();
    }
    try {
      builder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // in memory: never thrown
    }
  }

  // ---- saved form

  @Override
  public void saveEdges(DataOutput out) throws IOException {
    NodeAtLevel entry = graph.entryNode();
    int levels = entry == null ? 0 : graph.getMaxLevel() + 1;
    out.writeInt(~levels); // the number itself in the earlier form, without back edges
    out.writeInt(unchecked);
    backEdges.save(out);
    if (entry == null) {
      return;
    }
    out.writeInt(entry.level);
    out.writeInt(entry.node);
    for (int level = 0; level < levels; level++) {
      out.writeInt(graph.size(level));
      for (NodesIterator nodes = graph.getNodes(level); nodes.hasNext(); ) {
        int node = nodes.nextInt();
        NodesIterator neighbors = graph.getNeighborsIterator(level, node);
        out.writeInt(node);
        out.writeInt(neighbors.size());
        while (neighbors.hasNext()) {
          out.writeInt(neighbors.nextInt());
        }
      }
    }
  }

  /**
   * Reads a saved graph after its vectors. Scores of edges are computed again once the vectors are
   * present.
   */
  static NeighborGraph load(
      NeighborSpec spec,
      IndexedVectors vectors,
      @Nullable ForkJoinPool shared,
      RandomAccessReader in)
      throws IOException {
    NeighborGraph loaded = new NeighborGraph(spec, vectors, shared);
    try {
      loaded.edges = in;
      if (!loaded.needsVectors()) {
        loaded.restored();
      }
      return loaded;
    } catch (IOException | RuntimeException e) {
      loaded.close();
      throw e;
    }
  }

  @Override
  public boolean needsVectors() {
    return edges != null && vectors instanceof WholeVectors;
  }

  @Override
  public void restore(long id, float[] vector) {
    vectors.set(vectors.ordinals().of(id), vectors.indexed(vector));
  }

  @Override
  public void restored() throws IOException {
    RandomAccessReader in = edges;
    if (in == null) {
      return;
    }
    long[] missing = vectors instanceof WholeVectors whole ? whole.fill() : new long[0];
    try {
      connect(in);
    } catch (RuntimeException e) { // the library does not validate the data that it reads
      throw new IOException("a damaged graph", e);
    }
    edges = null;
    for (long id : missing) {
      remove(id);
    }
  }

  private void connect(RandomAccessReader in) throws IOException {
    int form = in.readInt();
    int levels = form < 0 ? ~form : form;
    if (form < 0) {
      unchecked = in.readInt();
      backEdges.load(in, vectors.ordinals().limit());
    } else {
      unchecked = vectors.ordinals().limit();
    }
    if (levels == 0) {
      return;
    }
    NodeAtLevel entry = new NodeAtLevel(in.readInt(), in.readInt());
    int[] top = new int[vectors.ordinals().limit()]; // the highest level of each node
    var scores = vectors.builds();
    for (int level = 0; level < levels; level++) {
      int nodes = in.readInt();
      for (int i = 0; i < nodes; i++) {
        int node = in.readInt();
        int count = in.readInt();
        ScoreFunction near = scores.diversityProviderFor(node).scoreFunction();
        NodeArray neighbors = new NodeArray(count);
        for (int j = 0; j < count; j++) {
          int neighbor = in.readInt();
          neighbors.insertSorted(neighbor, near.similarityTo(neighbor));
        }
        graph.connectNode(level, node, neighbors);
        top[node] = level;
      }
    }
    for (NodesIterator nodes = graph.getNodes(0); nodes.hasNext(); ) {
      int node = nodes.nextInt();
      graph.markComplete(new NodeAtLevel(top[node], node));
    }
    graph.updateEntryNode(entry);
    if (graph.size(0) != vectors.ordinals().size()) {
      throw new IOException(
          graph.size(0) + " nodes of a graph (expected: " + vectors.ordinals().size() + ")");
    }
  }
}
