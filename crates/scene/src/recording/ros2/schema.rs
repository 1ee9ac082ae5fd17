//! Definitions of the written messages in ROS notation, stored in the bag for readers without ROS.

/// Types and their fields. (Markers as of ROS 2 Humble and later.)
const TYPES: [(&str, &str); 19] = [
    ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"),
    ("builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n"),
    ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"),
    ("std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"),
    ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"),
    ("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"),
    ("geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"),
    ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"),
    ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"),
    (
        "geometry_msgs/TransformStamped",
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
    ),
    ("geometry_msgs/Wrench", "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"),
    ("geometry_msgs/WrenchStamped", "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n"),
    ("sensor_msgs/CompressedImage", "std_msgs/Header header\nstring format\nuint8[] data\n"),
    (
        "sensor_msgs/JointState",
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    ),
    ("tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"),
    ("visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n"),
    ("visualization_msgs/MeshFile", "string filename\nuint8[] data\n"),
    ("visualization_msgs/Marker", MARKER),
    ("visualization_msgs/MarkerArray", "visualization_msgs/Marker[] markers\n"),
];

const MARKER: &str = "\
std_msgs/Header header
string ns
int32 id
int32 type
int32 action
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
std_msgs/ColorRGBA color
builtin_interfaces/Duration lifetime
bool frame_locked
geometry_msgs/Point[] points
std_msgs/ColorRGBA[] colors
string texture_resource
sensor_msgs/CompressedImage texture
visualization_msgs/UVCoordinate[] uv_coordinates
string text
string mesh_resource
visualization_msgs/MeshFile mesh_file
bool mesh_use_embedded_materials
";

/// A type by its name in a bag, such as `sensor_msgs/msg/JointState`: its definition, and those of all types in it.
pub(super) fn definition(name: &str) -> String {
    let short = name.replace("/msg/", "/");
    let mut text = fields(&short).to_owned();
    let mut named = vec![short];
    let mut next = 0;
    while next < named.len() {
        for line in fields(&named[next]).lines() {
            let kind = line.split(' ').next().unwrap_or_default().trim_end_matches("[]");
            if kind.contains('/') && !named.iter().any(|n| n == kind) {
                named.push(kind.to_owned());
            }
        }
        next += 1;
    }
    for kind in &named[1..] {
        text += &format!("{}\nMSG: {kind}\n{}", "=".repeat(80), fields(kind));
    }
    text
}

fn fields(short: &str) -> &'static str {
    TYPES.iter().find(|(name, _)| *name == short).map_or("", |(_, fields)| fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_hold_all_that_they_name() {
        let text = definition("visualization_msgs/msg/MarkerArray");
        for part in [
            "MSG: visualization_msgs/Marker\n",
            "MSG: std_msgs/ColorRGBA\n",
            "MSG: builtin_interfaces/Time\n",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{part}");
        }
        for (name, fields) in TYPES {
            for line in fields.lines() {
                let kind = line.split(' ').next().unwrap_or_default().trim_end_matches("[]");
                assert!(!kind.contains('/') || TYPES.iter().any(|(n, _)| *n == kind), "{name}: {kind}");
            }
        }
    }
}
