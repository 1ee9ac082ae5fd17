/**
 * The swept rod, on the GPU. An instance is a stretch of a rod, some tens of edges; its vertices are rings about them.
 * Positions, slopes and directors of all nodes are in a float texture, so that a frame costs one upload and no geometry.
 *
 * Between two nodes the center line is the cubic (Catmull-Rom) curve through them, and the material director goes from
 * that of one node to that of the next by the shorter way. The director of a node lies midway between those of its edges.
 */

/** Texels in a row of the texture: a power of two. */
export const TEXTURE_WIDTH = 1024;

/**
 * Texels of a node: position and value; slope of the center line and half extent along m1; director and half extent along
 * m2. Half extents are those of the edge that leaves the node.
 */
export const TEXELS = 3;

/** Declarations of the vertex shader. */
export const ROD_VERTEX_HEAD = /* glsl */ `
uniform highp sampler2D nodeTexture;
// Size of a pixel: at a distance of 1 in perspective, and everywhere without, m.
uniform vec2 pixelSize;
// Edge in the stretch, place along it (0…1), and the share of the section and the offset along the axis on a cap.
attribute vec4 ring;
// On the unit section: place, and normal.
attribute vec4 rim;
// First node of the rod, number of its nodes, first edge of the stretch, number of its edges.
attribute vec4 stretch;
// Index of the rod, and −1 or 1 for a cap at the start or the end of the stretch.
attribute vec2 rodPart;
attribute vec3 stretchColor;
varying vec3 vRodColor;
varying vec2 vRim;
varying float vValue;
varying float vRodIndex;

vec4 rodTexel(int node, int k) {
  int i = ${TEXELS} * node + k;
  return texelFetch(nodeTexture, ivec2(i & ${TEXTURE_WIDTH - 1}, i / ${TEXTURE_WIDTH}), 0);
}
void rodSurface(out vec3 place, out vec3 surfaceNormal) {
  // Rings past the end of a short stretch lie on its end.
  float edge = min(ring.x, stretch.w - 1.0);
  float end = rodPart.y;
  float u = end == 0.0 ? (ring.x > edge ? 1.0 : ring.y) : (end < 0.0 ? 0.0 : 1.0);
  float v = 1.0 - u;
  int first = int(stretch.x), count = int(stretch.y), i = int(stretch.z + edge);
  int a = first + i, b = first + (i + 1 == count ? 0 : i + 1);
  vec4 n1 = rodTexel(a, 0), n2 = rodTexel(b, 0);
  vec4 s1 = rodTexel(a, 1), m1 = rodTexel(a, 2);
  vec3 d1 = s1.xyz, d2 = rodTexel(b, 1).xyz;
  vec2 extent = vec2(s1.w, m1.w);
  // Hermite: p(u) = h00 p1 + h10 d1 + h01 p2 + h11 d2, and its derivative.
  vec3 chord = n2.xyz - n1.xyz;
  vec3 center = n1.xyz + (u * u * (3.0 - 2.0 * u)) * chord + (u * v * v) * d1 - (u * u * v) * d2;
  // Never thinner than what can be seen.
  float pixel = isPerspectiveMatrix(projectionMatrix) ? -pixelSize.x * (modelViewMatrix * vec4(center, 1.0)).z : pixelSize.y;
  extent = max(extent, vec2(1.1 * pixel));
  vec3 t = normalize(6.0 * u * v * chord + (v * (1.0 - 3.0 * u)) * d1 + (u * (3.0 * u - 2.0)) * d2);
  vec3 m = mix(m1.xyz, rodTexel(b, 2).xyz, u);
  vec3 e1 = normalize(m - dot(m, t) * t);
  vec3 e2 = cross(t, e1);
  float side = end < 0.0 ? -1.0 : 1.0;
  vec2 on = vec2(rim.x, side * rim.y), normalOn = vec2(rim.z, side * rim.w);
  float thin = min(extent.x, extent.y);
  place = center + ring.z * (extent.x * on.x * e1 + extent.y * on.y * e2) + (side * ring.w * thin) * t;
  vec2 across = ring.z * normalOn / extent;
  surfaceNormal = normalize(across.x * e1 + across.y * e2 + (side * ring.w / thin) * t);
  vRodColor = stretchColor;
  vRim = on;
  vRodIndex = rodPart.x;
  vValue = mix(n1.w, n2.w, u);
}
`;

/** Declarations of the fragment shader. */
export const ROD_FRAGMENT_HEAD = /* glsl */ `
uniform sampler2D colorMap;
uniform bool byValue;
uniform vec2 valueRange;
uniform float stripe;
uniform float selectedRod;
varying vec3 vRodColor;
varying vec2 vRim;
varying float vValue;
varying float vRodIndex;
`;

/** The color: that of the rod or of its value, with a stripe along m1. */
export const ROD_FRAGMENT_COLOR = /* glsl */ `
vec3 rodColor = vRodColor;
if (byValue) {
  float share = clamp((vValue - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.0, 1.0);
  rodColor = texture2D(colorMap, vec2(share * 0.99609375 + 0.001953125, 0.5)).rgb;
}
float offStripe = abs(atan(vRim.y, vRim.x));
float width = 0.34;
float soft = min(fwidth(offStripe), 1.0);
float onStripe = stripe * (1.0 - smoothstep(width - soft, width + soft, offStripe)) * step(length(vRim), 10.0);
float bright = dot(rodColor, vec3(0.2126, 0.7152, 0.0722));
vec3 stripeColor = byValue || bright > 0.42 ? rodColor * 0.3 : mix(rodColor, vec3(1.0), 0.72);
rodColor = mix(rodColor, stripeColor, onStripe * (byValue ? 0.5 : 0.85));
if (selectedRod >= 0.0 && abs(selectedRod - vRodIndex) < 0.5) rodColor = mix(rodColor, vec3(1.0), 0.18);
// A value is read off its color: half of it is there without light.
float glow = byValue ? 0.5 : 0.0;
totalEmissiveRadiance += glow * rodColor;
diffuseColor.rgb = (1.0 - glow) * rodColor;
`;
