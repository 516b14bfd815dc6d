// Starts reveal.js; the key T shows the text of the lesson beside the slides.
Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0.06,
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
}).then(() => {
  const text = { keyCode: 84, key: "T", description: "Show the text of the lesson" };
  Reveal.addKeyBinding(text, () => Reveal.configure({ showNotes: !Reveal.getConfig().showNotes }));
});
