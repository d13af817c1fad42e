package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A contract of each interface to collections: the rows and plans of a query of a spatial index and
 * one of a vector index.
 */
public final class NearbyPlaces {
  public static final String NAME = "places";

  private static final String DEFINITION =
      """
      {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
        "spatialIndexes": [{"path": "/at/?", "types": ["Point"]}],
        "vectorIndexes": [{"path": "/v", "type": "diskANN"}]},
       "vectorEmbeddingPolicy": {"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
        "dimensions": 2, "distanceFunction": "euclidean"}]}}
      """;

  private static final List<String> ITEMS =
      List.of(
          item("trondheim", 10.4, 63.43, "[-1,0]"),
          item("bergen", 5.32, 60.39, "[0,1]"),
          item("drammen", 10.2, 59.74, "[0.9,0.1]"),
          item("oslo", 10.75, 59.91, "[1,0]"));

  private NearbyPlaces() {}

  private static String item(String id, double longitude, double latitude, String vector) {
    return "{\"id\":\"%s\",\"at\":%s,\"v\":%s}".formatted(id, point(longitude, latitude), vector);
  }

  private static String point(double longitude, double latitude) {
    return "{\"type\":\"Point\",\"coordinates\":[%s,%s]}".formatted(longitude, latitude);
  }

  /** An interface to collections. */
  public interface Surface {
    void create(String definition) throws Exception;

    void put(String item) throws Exception;

    /** Returns the ids that a query with a parameter selects, in their order. */
    List<String> ids(String sql, String parameter, String value) throws Exception;

    /** Returns an explanation of a query. */
    JsonNode explain(String sql, String parameter, String value) throws Exception;
  }

  /** Returns the JSON of a query in the form of the REST interface. */
  public static String body(String sql, String parameter, String value) {
    return "{\"query\":\"%s\",\"parameters\":[{\"name\":\"@%s\",\"value\":%s}]}"
        .formatted(sql, parameter, value);
  }

  /** Returns the JSON of a query to be explained in the form of the REST interface. */
  public static String explained(String sql, String parameter, String value) {
    return body(sql, parameter, value).replaceFirst("}$", ",\"explain\":\"only\"}");
  }

  /** Asserts that an interface answers queries of both indexes, and explains them. */
  public static void check(Surface surface) throws Exception {
    surface.create(DEFINITION);
    for (String item : ITEMS) {
      surface.put(item);
    }
    String near =
        "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.at, @here) < 350000"
            + " ORDER BY ST_DISTANCE(c.at, @here)";
    String oslo = point(10.75, 59.91);
    assertThat(surface.ids(near, "here", oslo)).containsExactly("oslo", "drammen", "bergen");
    JsonNode nearest = surface.explain(near, "here", oslo).findValue("orderBy");
    assertThat(nearest.path("servedBy").asText()).startsWith("spatial#");
    assertThat(nearest.path("nearestFirst").asBoolean()).isTrue();
    String similar = "SELECT TOP 2 VALUE c.id FROM c ORDER BY VectorDistance(c.v, @v)";
    assertThat(surface.ids(similar, "v", "[0.8,0.2]")).containsExactly("drammen", "oslo");
    JsonNode closest = surface.explain(similar, "v", "[0.8,0.2]").findValue("orderBy");
    assertThat(closest.path("servedBy").asText()).startsWith("vector#");
    assertThat(closest.path("kind").asText()).isEqualTo("diskANN");
  }
}
