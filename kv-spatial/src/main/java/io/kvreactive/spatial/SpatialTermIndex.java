package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.BoundingBox;
import io.kvreactive.documents.GeospatialType;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.CallCondition.Comparison;
import io.kvreactive.documents.spi.TermIndex;
import io.kvreactive.documents.spi.TermRange;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A spatial index. The terms of a shape are the cells that cover the shape. The ranges of a
 * condition are those of the cells that cover the region where the condition can be true.
 *
 * <p>A valid shape whose type the index does not list has no terms, and is a candidate for every
 * query. The same holds for a shape that is not completely inside of the bounding box. Query
 * results therefore do not depend on the index.
 */
final class SpatialTermIndex implements TermIndex {
  /** Maximum number of ranges of a condition. */
  static final int MAX_RANGES = 200;

  /** Maximum number of cells of a condition; fewer if the cells have too many ranges. */
  private static final int MAX_CONDITION_CELLS = 32;

  private final String path;
  private final List<String> types;
  private final GeospatialType on;
  private final @Nullable BoundingBox box;
  private final CellGrid grid;

  private SpatialTermIndex(
      String path,
      List<String> types,
      GeospatialType on,
      @Nullable BoundingBox box,
      CellGrid grid) {
    this.path = path;
    this.types = types;
    this.on = on;
    this.box = box;
    this.grid = grid;
  }

  /** Returns the index declared by a policy. An index in the plane has a bounding box. */
  static SpatialTermIndex of(SpatialIndex declared, GeospatialType on) {
    BoundingBox box = declared.boundingBox();
    CellGrid grid = box == null ? new GlobeGrid() : new PlaneGrid(box);
    List<String> types = List.copyOf(new TreeSet<>(declared.types()));
    return new SpatialTermIndex(declared.path(), types, on, box, grid);
  }

  @Override
  public String kind() {
    return "spatial";
  }

  @Override
  public String name() {
    String name = kind() + " " + path + " " + String.join(",", types) + " " + on.text();
    return box == null
        ? name
        : name + " " + box.xmin() + "," + box.ymin() + "," + box.xmax() + "," + box.ymax();
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public List<String> spec() {
    return Stream.concat(Stream.of(path), types.stream()).toList();
  }

  @Override
  public @Nullable Collection<String> terms(JsonNode value) {
    Shape shape = ParsedShape.of(value, on).shape();
    if (shape == null) {
      return List.of();
    }
    if (!types.contains(shape.type().text())) {
      return null;
    }
    try {
      Collection<Long> cells = grid.cells(shape);
      return cells == null ? null : CellTerms.terms(cells);
    } catch (RuntimeException e) {
      return null; // thrown by a library that cannot compute with the coordinates
    }
  }

  @Override
  public @Nullable List<TermRange> ranges(CallCondition condition) {
    boolean isDistance = condition.function().equals(SpatialFunctions.DISTANCE);
    if (!isServed(condition, isDistance)) {
      return null;
    }
    JsonNode constant = condition.arguments().get(1 - condition.subject());
    Shape shape = constant == null ? null : ParsedShape.of(constant, on).shape();
    double distance = isDistance ? condition.bound().doubleValue() : 0;
    if (shape == null || !(distance >= 0)) {
      return List.of(); // undefined, or a distance that no shape can have
    }
    try {
      return around(shape, distance);
    } catch (RuntimeException e) {
      return null; // thrown by a library that cannot compute with the coordinates
    }
  }

  @Override
  public List<Double> reaches(String function) {
    return function.equals(SpatialFunctions.DISTANCE) ? grid.reaches() : List.of();
  }

  private static boolean isServed(CallCondition condition, boolean isDistance) {
    if (condition.arguments().size() != 2
        || condition.subject() < 0
        || condition.subject() > 1
        || condition.arguments().get(1 - condition.subject()) == null) {
      return false;
    }
    Comparison comparison = condition.comparison();
    if (isDistance) {
      return condition.bound().isNumber()
          && (comparison == Comparison.LESS
              || comparison == Comparison.LESS_OR_EQUAL
              || comparison == Comparison.EQUAL);
    }
    return (condition.function().equals("ST_WITHIN")
            || condition.function().equals("ST_INTERSECTS"))
        && comparison == Comparison.EQUAL
        && condition.bound().isBoolean()
        && condition.bound().booleanValue();
  }

  private List<TermRange> around(Shape shape, double distance) {
    List<TermRange> ranges = List.of();
    for (int cells = MAX_CONDITION_CELLS; cells >= 4; cells /= 2) {
      ranges = CellTerms.ranges(grid.cellsAround(shape, distance, cells), grid.rootBit());
      if (ranges.size() <= MAX_RANGES) {
        break;
      }
    }
    // not an empty list, which means that no value matches: values outside of the box may match
    return ranges.isEmpty() ? List.of(TermRange.of(CellTerms.term(grid.rootBit()))) : ranges;
  }
}
