package io.kvreactive.spatial;

import com.google.common.geometry.S2Error;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import io.kvreactive.spatial.GeoJson.Ring;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Messages for invalid rings, with the positions of the shape in place of indices of the library.
 */
record RingErrors(GeoJson json, S2Polygon polygon) {
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final double ROUNDING = 1e9; // degrees to less than a millimetre

  /** Returns the message for an error of the polygon. */
  String message(S2Error error) {
    int[] at =
        NUMBER.matcher(error.text()).results().mapToInt(each -> parse(each.group())).toArray();
    return switch (error.code()) {
      case DUPLICATE_VERTICES ->
          at.length != 3
              ? "A ring must not pass a position twice."
              : "A ring must not pass a position twice: " + common(at[0], at[1], at[2]) + ".";
      case LOOP_SELF_INTERSECTION ->
          at.length != 3
              ? "The edges of a ring must not cross."
              : "The edges of a ring must not cross: " + edges(at[0], at[1], at[0], at[2]);
      case POLYGON_LOOPS_CROSS ->
          at.length != 4
              ? "Rings must not cross."
              : "Rings must not cross: " + edges(at[0], at[1], at[2], at[3]);
      case POLYGON_LOOPS_SHARE_EDGE ->
          at.length < 4
              ? "Rings must not have an edge in common."
              : "Rings must not have an edge in common: " + edge(at[0], at[1]) + ".";
      default -> "The rings of the shape are not valid.";
    };
  }

  private static int parse(String digits) {
    return digits.length() > 6 ? 0 : Integer.parseInt(digits);
  }

  private String edges(int loop, int edge, int otherLoop, int otherEdge) {
    return edge(loop, edge) + " and " + edge(otherLoop, otherEdge) + ".";
  }

  private String edge(int loop, int edge) {
    return position(vertex(loop, edge)) + " to " + position(vertex(loop, edge + 1));
  }

  /** Returns the position that two edges have in common. */
  private String common(int loop, int edge, int other) {
    S2Point end = vertex(loop, edge + 1);
    boolean isEnd =
        end.equalsPoint(vertex(loop, other)) || end.equalsPoint(vertex(loop, other + 1));
    return position(isEnd ? end : vertex(loop, edge));
  }

  private S2Point vertex(int loop, int vertex) {
    S2Loop found = polygon.loop(Math.min(loop, polygon.numLoops() - 1));
    return found.orientedVertex(vertex % found.numVertices());
  }

  /** Returns the position that has a point, as the shape has it. */
  private String position(S2Point point) {
    for (List<Ring> rings : json.polygons()) {
      for (Ring ring : rings) {
        for (int i = 0; i < ring.size(); i++) {
          if (GlobeShapes.point(ring, i).equalsPoint(point)) {
            return text(ring.x(i), ring.y(i));
          }
        }
      }
    }
    S2LatLng place = new S2LatLng(point);
    return text(rounded(place.lngDegrees()), rounded(place.latDegrees()));
  }

  private static double rounded(double degrees) {
    return Math.rint(degrees * ROUNDING) / ROUNDING;
  }

  static String text(double x, double y) {
    return "[" + number(x) + ", " + number(y) + "]";
  }

  private static String number(double number) {
    String text = Double.toString(number);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
