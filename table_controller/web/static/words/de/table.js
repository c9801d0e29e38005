/** Was alle Seiten auf Deutsch sagen. */
export default {
  "said.silent": "Der Tisch hat nicht geantwortet. Sehen Sie am Tisch nach, ob es geschehen ist, bevor Sie es noch einmal sagen.",
  "said.unanswered": "Es kam keine Antwort.",
};
