package io.kvreactive.bench.index;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The documents of all sides: about 300 bytes of JSON each, derived from a number. */
final class People {
  /** Paths that every side indexes, each in an index of its own. */
  static final List<String> INDEXED = List.of("email", "city", "age", "name", "address.zip");

  static final int CITIES = 1000;
  static final int YOUNGEST = 18;
  static final int AGES = 70;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] TAGS = {"new", "paper", "abroad", "company", "late", "vip"};
  private static final String[] NAMES = {"Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gil", "Ida"};
  private static final String TEXT =
      "orders on weekdays, asks for an invoice with every delivery, pays in time";

  private People() {}

  static String id(int number) {
    return "p" + number;
  }

  static String email(int number) {
    return "person" + number + "@example.org";
  }

  static String city(int number) {
    return "city" + Math.floorMod(mix(number), CITIES);
  }

  static int age(int number) {
    return YOUNGEST + Math.floorMod(mix(~number), AGES);
  }

  /** Returns a new document, which the caller may change. */
  static ObjectNode document(int number) {
    ObjectNode person = JsonNodeFactory.instance.objectNode();
    person.put("id", id(number));
    person.put("city", city(number));
    person.put("age", age(number));
    person.put("name", NAMES[Math.floorMod(mix(number + 1), NAMES.length)] + " " + number % 50_000);
    person.put("email", email(number));
    person.putArray("tags").add(TAGS[number % TAGS.length]).add(TAGS[number / 7 % TAGS.length]);
    ObjectNode address = person.putObject("address");
    address.put("street", "Long Street " + number % 300);
    address.put("zip", String.valueOf(10_000 + number % 80_000));
    address.put("country", "NO");
    person.put("text", TEXT);
    return person;
  }

  static String text(int number) {
    return document(number).toString();
  }

  static byte[] bytes(int number) {
    try {
      return JSON.writeValueAsBytes(document(number));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode parse(byte[] json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a well distributed hash of a number. */
  private static int mix(int number) {
    int mixed = number * 0x9E3779B9;
    return mixed ^ mixed >>> 15;
  }
}
